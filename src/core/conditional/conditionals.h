// The weights and conditional variances of a set of targets given nodes, kept for methods whose objective is not a sum
// over targets: they need all of them at once, and give back their adjoints.
#pragma once

#include <optional>
#include <vector>

#include "conditional/backend.h"
#include "covariance/prepared.h"
#include "geometry/neighbors.h"
#include "geometry/points.h"

namespace neargp {

class Conditionals {
 public:
  // Targets are the nodes themselves (each with noise, as the nodes have) or, where given, other points (without).
  // The coordinates outlive the object. Rows of `neighbors` are nodes, -1 where there are fewer.
  Conditionals(Points nodes, Points targets, bool targets_are_nodes, NeighborTable neighbors, const RunContext& context);

  Index targets() const { return view_.targets; }
  int k() const { return view_.k; }
  const NeighborTable& neighbors() const { return neighbors_; }
  const double* weights(Index target) const { return weights_.data() + target * view_.k; }
  const std::vector<double>& weights() const { return weights_; }
  const std::vector<double>& variance() const { return variance_; }

  // Computes weights and variances. Returns the first target whose covariance matrix is singular, or -1.
  Index update(const PreparedCovariance& covariance, const RunContext& context);

  // The gradient in the covariance parameters of an objective with these partial derivatives in weights and variances.
  std::vector<double> adjoint(const PreparedCovariance& covariance, const std::vector<double>& weights_bar,
                              const std::vector<double>& variance_bar, const RunContext& context) const;

 private:
  NeighborTable neighbors_;
  std::vector<double> unit_noise_;
  LocalView view_;
  std::optional<DeviceView> device_view_;
  std::vector<double> weights_, variance_;
};

}  // namespace neargp
