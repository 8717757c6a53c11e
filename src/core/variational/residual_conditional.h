// The conditional distribution of the residual field (residual_rows.h) at a target, given noisy values at its
// neighbours:
//
//   b = R_NN^-1 r_N,   D = r - r_N'b.
//
// R_NN is the covariance matrix of rho at the neighbours, with their noise. The vector r_N contains their covariances
// with the target, and r is the variance of the target. For the adjoint, see residual_weights_adjoint.h.
#pragma once

#include "variational/residual_covariance.h"

namespace neargp {

// Scratch of one thread.
class ResidualConditional {
 public:
  ResidualConditional(const PreparedCovariance& covariance, int k)
      : k_(k), variance_of_field_(covariance.variance), places_(covariance, k + 1) {}

  // `neighbors`: k rows, or -1 for absent ones, which come last. Rows of `given` are counted first, then those of
  // `targets`. `noise`: variances of all these rows. Returns false if R_NN is numerically singular.
  bool update(const ResidualRows& given, const ResidualRows& targets, Index target, const int* neighbors,
              const double* noise, double target_noise);

  int count() const { return places_.count() - 1; }
  const Eigen::VectorXd& weights() const { return weights_; }  // b
  double variance() const { return variance_; }                // D, with the target's noise
  // Whether a conditional variance is so small, compared with the variance of the field and this noise, that it is
  // rounding.
  bool is_rounding(double conditional_variance, double noise) const;
  // The part of the target's features that its neighbours do not explain: a(x) - A_N b.
  void unseen_features(double* column) const;
  // Lower triangle of the Cholesky factor of R_NN in the leading `count` rows and columns.
  const Eigen::MatrixXd& factor() const { return matrix_; }

 private:
  int k_;
  double variance_of_field_;
  ResidualCovariance places_;
  Eigen::MatrixXd matrix_;
  Eigen::VectorXd weights_;
  double variance_ = 0.0;
};

}  // namespace neargp
