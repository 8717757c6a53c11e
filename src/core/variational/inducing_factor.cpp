#include "variational/inducing_factor.h"

#include "linalg/products.h"

namespace neargp {

InducingFactor::InducingFactor(const InducingPoints& points, double jitter, bool derivatives)
    : points_(points), jitter_(jitter), lower_(points.covariances(derivatives ? &parts_ : nullptr)) {
  lower_.diagonal().array() += jitter * points.covariance().variance;
  regular_ = cholesky(lower_);
}

void InducingFactor::adjoint(const Eigen::MatrixXd& g, InducingGradient& gradient, const LowerInverse* inverse) const {
  Eigen::MatrixXd bar = g.selfadjointView<Eigen::Lower>();
  const auto solve = [&] {
    if (!inverse) return lower_transposed_solve(lower_, bar);
    Eigen::MatrixXd solved(bar.rows(), bar.cols());
    inverse->multiply_transposed(bar, solved);
    bar.swap(solved);
  };
  solve();
  bar.transposeInPlace();
  solve();
  bar *= -0.5;
  // The sum of dF/dK_zz times LL' is -1/2 tr(P + P').
  const double trace = bar.trace(), scale = -0.5 * g.trace() - jitter_ * points_.covariance().variance * trace;
  InducingGradient own = points_.zero_gradient();
  points_.contract(parts_, bar, scale, own);
  for (const PreparedComponent& component : points_.covariance().components)
    if (component.variance_parameter >= 0)
      own.parameters[component.variance_parameter] += jitter_ * component.variance * trace;
  gradient.add(own, 2.0);
}

}  // namespace neargp
