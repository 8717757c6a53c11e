// The whitened features of some rows: A = L^-1 K_zx, a column for each, and what they leave unexplained of the
// variance.
#pragma once

#include "linalg/product_engine.h"
#include "variational/inducing_factor.h"

namespace neargp {

class CrossBlock {
 public:
  // `derivatives`: whether adjoint() is to be called.
  CrossBlock(const InducingFactor& factor, Points rows, bool derivatives,
             const ProductEngine& engine = product_engine());

  const Eigen::MatrixXd& features() const { return features_; }
  // d_i = k_ii - |A_i|^2, the variance of the field at a row given the field at the inducing points.
  const Eigen::VectorXd& unexplained() const { return unexplained_; }

  // Adds the derivatives of an objective through K_zx and k_ii, given its derivatives in A (overwritten) and in k_ii.
  // The d_i depend on k_ii and A. Therefore a derivative dbar_i in d_i adds dbar_i in k_ii and -2 dbar_i A_i in A_i.
  // InducingFactor::adjoint() computes the derivatives through L. `rows_bar`, unless null, gets the derivatives in the
  // rows added.
  void adjoint(Eigen::MatrixXd& features_bar, const Eigen::VectorXd& variance_bar, InducingGradient& gradient,
               Eigen::MatrixXd* rows_bar = nullptr) const;

 private:
  const InducingFactor& factor_;
  std::vector<ComponentCovariances> parts_;
  Eigen::MatrixXd features_;
  Eigen::VectorXd unexplained_;
};

// The bytes of a block of `rows` rows that is made with derivatives.
inline double cross_block_bytes(const InducingPoints& points, Index rows) {
  const double parts = double(points.covariance().components.size()), matrices = parts > 1.0 ? 1.0 + 2.0 * parts : 2.0;
  return double(sizeof(double)) * double(rows) * (double(points.size()) * matrices + parts * points.dim());
}

}  // namespace neargp
