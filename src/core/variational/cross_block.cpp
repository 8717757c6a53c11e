#include "variational/cross_block.h"

#include "linalg/products.h"

namespace neargp {

CrossBlock::CrossBlock(const InducingFactor& factor, Points rows, bool derivatives, const ProductEngine& engine)
    : factor_(factor), features_(factor.points().covariances(rows, derivatives ? &parts_ : nullptr)) {
  lower_solve(factor.lower(), features_, engine);
  unexplained_ = factor.points().covariance().variance - features_.colwise().squaredNorm().transpose().array();
}

void CrossBlock::adjoint(Eigen::MatrixXd& features_bar, const Eigen::VectorXd& variance_bar, InducingGradient& gradient,
                         Eigen::MatrixXd* rows_bar) const {
  // The sum of dF/dK_zx times K_zx is that of dF/dA times A.
  const double scale = features_bar.cwiseProduct(features_).sum();
  lower_transposed_solve(factor_.lower(), features_bar);
  factor_.points().contract(parts_, features_bar, scale, gradient, rows_bar);
  factor_.points().contract_variance(variance_bar.sum(), gradient);
}

}  // namespace neargp
