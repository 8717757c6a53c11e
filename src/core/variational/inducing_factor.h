// The prior at inducing points: L L' = K_zz + jitter v I, v the variance of the field, and the adjoint of L.
#pragma once

#include "linalg/lower_inverse.h"
#include "variational/inducing_points.h"

namespace neargp {

class InducingFactor {
 public:
  // `derivatives`: whether adjoint() is to be called.
  InducingFactor(const InducingPoints& points, double jitter, bool derivatives);

  // False where the matrix is numerically singular; then nothing else may be called.
  bool regular() const { return regular_; }
  const InducingPoints& points() const { return points_; }
  const Eigen::MatrixXd& lower() const { return lower_; }

  // Adds the derivatives through K_zz, jitter included. For an objective with derivatives Abar in A = L^-1 K_zx, G is
  // Abar A'. For an objective c log|K_zz|, add -2c I to G. Let P be the lower triangle of G with its diagonal halved.
  // The derivative in K_zz is -1/2 L^-T (P + P') L^-1, so that entries above the diagonal of G play no part. `inverse`:
  // of L, if the caller holds it, which is faster.
  void adjoint(const Eigen::MatrixXd& g, InducingGradient& gradient, const LowerInverse* inverse = nullptr) const;

 private:
  const InducingPoints& points_;
  double jitter_;
  std::vector<ComponentCovariances> parts_;
  Eigen::MatrixXd lower_;
  bool regular_;
};

}  // namespace neargp
