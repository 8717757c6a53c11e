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

  // For an objective with derivatives Abar in A = L^-1 K_zx let G = Abar A', and for c log|K_zz| add -2c I to it.
  // With P the lower triangle of G, its diagonal halved, the derivative in K_zz is -1/2 L^-T (P + P') L^-1: what is
  // above the diagonal of G plays no part. Adds the derivatives through K_zz, jitter included.
  // `inverse`: of L, where the caller has it, which is faster.
  void adjoint(const Eigen::MatrixXd& g, InducingGradient& gradient, const LowerInverse* inverse = nullptr) const;

 private:
  const InducingPoints& points_;
  double jitter_;
  std::vector<ComponentCovariances> parts_;
  Eigen::MatrixXd lower_;
  bool regular_;
};

}  // namespace neargp
