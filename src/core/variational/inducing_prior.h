// The prior at the inducing points of a fit, factored once for predictions at many locations.
#pragma once

#include "base/error.h"
#include "covariance/covariance.h"
#include "variational/inducing_factor.h"

namespace neargp {

class InducingPrior {
 public:
  InducingPrior(Points inducing, const Covariance& covariance, double jitter)
      : inducing_(inducing.n), dim_(inducing.dim), prepared_(prepare(covariance, inducing.dim, false)),
        points_(prepared_, inducing), factor_(points_, jitter, false) {}
  InducingPrior(const InducingPrior&) = delete;
  InducingPrior& operator=(const InducingPrior&) = delete;

  const PreparedCovariance& covariance() const { return prepared_; }
  const InducingFactor& factor() const { return factor_; }

  // Throws an Error unless the locations and the posterior match the inducing points.
  void check(Points places, const Eigen::MatrixXd& weights, const Eigen::MatrixXd& factor) const {
    check(places);
    if (weights.rows() != inducing_ || factor.rows() != inducing_ || factor.cols() != inducing_)
      throw Error("There must be a row of the weights, and a row and a column of the factor, for each inducing point.");
  }
  void check(Points places) const {
    if (places.dim != dim_) throw Error("Inducing points and new locations must have the same coordinates.");
  }

 private:
  Index inducing_;
  int dim_;
  PreparedCovariance prepared_;
  InducingPoints points_;
  InducingFactor factor_;
};

}  // namespace neargp
