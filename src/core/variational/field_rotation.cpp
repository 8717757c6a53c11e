#include "variational/field_rotation.h"

#include <Eigen/Eigenvalues>

#include "base/error.h"

namespace neargp {

using Eigen::MatrixXd;

FieldRotation::FieldRotation(const Covariance& covariance) : covariance_(covariance) {
  if (covariance.components.size() != 1) throw Error("Fields of several structures have no common axes.");
  const std::vector<double>& loadings = covariance.components[0].loadings;
  const Index outputs = covariance.outputs();
  loadings_ = Eigen::Map<const RowMajor>(loadings.data(), outputs, Index(loadings.size()) / outputs);
  const Eigen::Map<const Eigen::ArrayXd> nuggets(covariance.output_nuggets.data(), outputs);
  const MatrixXd form = loadings_.transpose() * nuggets.inverse().matrix().asDiagonal() * loadings_;
  axes_ = Eigen::SelfAdjointEigenSolver<MatrixXd>(form).eigenvectors();
}

Covariance FieldRotation::rotated() const {
  Covariance result = covariance_;
  const RowMajor loadings = loadings_ * axes_;
  result.components[0].loadings.assign(loadings.data(), loadings.data() + loadings.size());
  return result;
}

void FieldRotation::turn_back(CollapsedBound& bound) const {
  Eigen::Map<RowMajor> loadings(bound.gradient.parameters.data(), loadings_.rows(), loadings_.cols());
  loadings = (loadings * axes_.transpose()).eval();
  const MatrixXd weights = bound.weights;
  const Index m = weights.rows() / axes_.rows();
  bound.weights.setZero();
  for (Index q = 0; q < axes_.rows(); ++q)
    for (Index r = 0; r < axes_.cols(); ++r)
      bound.weights.middleRows(q * m, m) += axes_(q, r) * weights.middleRows(r * m, m);
  bound.factor.resize(0, 0);
}

}  // namespace neargp
