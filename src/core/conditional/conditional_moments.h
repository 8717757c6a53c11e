// The building block of all methods: kriging of targets, each with a conditioning set among the data. Let S be the
// covariance matrix of the set (with the noise of its data), s its covariances with the target, and s_0 the target's
// variance. The weights, the conditional variance and the weighted sum of each column x of the data are
//
//   b = S^-1 s,   f = s_0 - s'b,   b'x.
//
// The adjoint is the gradient in the covariance parameters of any objective of b or b'x, and f.
#pragma once

#include <vector>

#include "base/run_context.h"
#include "conditional/backend.h"
#include "conditional/data.h"
#include "covariance/prepared.h"

namespace neargp {

class ConditionalMoments {
 public:
  enum class Weights { kept, summed };  // whether b is wanted, or b'x alone

  // Opens a view on the device that the context names. Data, targets and table outlive the object. The caller has
  // checked them.
  ConditionalMoments(const LocalData& data, const LocalTargets& targets, Weights wanted, const RunContext& context);

  Index targets() const { return view_.targets; }
  int k() const { return view_.k; }
  int columns() const { return view_.columns; }

  // Computes all below. Returns the first target whose covariance matrix is singular, or -1. `taper`: targets x k, of
  // an object that was made without a device.
  Index update(const PreparedCovariance& covariance, const RunContext& context, bool local_mean = false,
               const double* taper = nullptr);

  const std::vector<double>& weights() const { return weights_; }  // targets x k, where they are kept
  const double* weights(Index target) const { return weights_.data() + target * view_.k; }
  const std::vector<double>& weighted() const { return weighted_; }  // targets x columns
  const std::vector<double>& variance() const { return variance_; }  // targets

  // The gradient in all covariance parameters, from `covariance` prepared with derivatives.
  std::vector<double> adjoint(const PreparedCovariance& covariance, const ConditionalAdjoint& bar,
                              const RunContext& context) const;

 private:
  LocalView view_;
  DeviceView device_view_;
  std::vector<double> weights_, weighted_, variance_;
};

}  // namespace neargp
