#include "variational/posterior_adjoint.h"

#include "linalg/products.h"

namespace neargp {

using Eigen::MatrixXd;

PosteriorAdjoint::PosteriorAdjoint(const InducingFactor& factor, const MatrixXd& means, const MatrixXd& covariance,
                                   double unexplained_share)
    : factor_(factor), unexplained_share_(unexplained_share), inner_(-covariance), onto_covariances_(means) {
  inner_.diagonal().array() += unexplained_share;
  lower_transposed_solve(factor.lower(), inner_);
  inner_.transposeInPlace();
  lower_transposed_solve(factor.lower(), inner_);
  lower_transposed_solve(factor.lower(), onto_covariances_);
}

void PosteriorAdjoint::add_rows(Points rows, const Eigen::VectorXd& precision, const Alpha& alpha,
                                InducingGradient& gradient) const {
  const InducingPoints& points = factor_.points();
  std::vector<ComponentCovariances> parts;
  const MatrixXd covariances = points.covariances(rows, &parts);
  const MatrixXd of_rows = alpha(covariances.transpose() * onto_covariances_);
  MatrixXd bar(covariances.rows(), covariances.cols());
  multiply(inner_, covariances, bar);
  bar = (bar * precision.asDiagonal()).eval();
  bar.noalias() += onto_covariances_ * of_rows.transpose();
  points.contract(parts, bar, gradient);
  points.contract_variance(-0.5 * unexplained_share_ * precision.sum(), gradient);
}

void add_prior_adjoint(const InducingFactor& factor, const MatrixXd& means, const MatrixXd& covariance,
                       const MatrixXd& gram, InducingGradient& gradient) {
  MatrixXd g = gram + covariance + means * means.transpose();
  g.diagonal().array() -= 1.0;
  factor.adjoint(g, gradient);
}

}  // namespace neargp
