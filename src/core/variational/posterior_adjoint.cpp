#include "variational/posterior_adjoint.h"

#include "linalg/products.h"

namespace neargp {

using Eigen::MatrixXd;

PosteriorAdjoint::PosteriorAdjoint(const InducingFactor& factor, const MatrixXd& means, const MatrixXd& covariance,
                                   double unexplained_share)
    : PosteriorAdjoint(factor, means, std::vector<MatrixXd>{covariance},
                       Eigen::VectorXd::Constant(1, unexplained_share)) {}

PosteriorAdjoint::PosteriorAdjoint(const InducingFactor& factor, const MatrixXd& means,
                                   std::vector<MatrixXd> covariances, const Eigen::VectorXd& unexplained_shares)
    : factor_(factor), unexplained_shares_(unexplained_shares), inner_(std::move(covariances)),
      onto_covariances_(means) {
  for (std::size_t field = 0; field < inner_.size(); ++field) {
    MatrixXd& inner = inner_[field];
    inner *= -1.0;
    inner.diagonal().array() += unexplained_shares_[Eigen::Index(field)];
    lower_transposed_solve(factor.lower(), inner);
    inner.transposeInPlace();
    lower_transposed_solve(factor.lower(), inner);
  }
  lower_transposed_solve(factor.lower(), onto_covariances_);
}

void PosteriorAdjoint::add_rows(Points rows, const MatrixXd& precision, const Alpha& alpha,
                                InducingGradient& gradient) const {
  const InducingPoints& points = factor_.points();
  std::vector<ComponentCovariances> parts;
  const MatrixXd covariances = points.covariances(rows, &parts);
  MatrixXd fitted(covariances.cols(), onto_covariances_.cols());
  multiply_transposed(covariances, onto_covariances_, fitted);
  MatrixXd bar = MatrixXd::Zero(covariances.rows(), covariances.cols());
  add_product_transposed(onto_covariances_, alpha(fitted), bar);
  MatrixXd product(covariances.rows(), covariances.cols());
  double variance_bar = 0.0;
  for (std::size_t field = 0; field < inner_.size(); ++field) {
    const auto weight = precision.col(Eigen::Index(field));
    multiply(inner_[field], covariances, product);
    for (Eigen::Index i = 0; i < bar.cols(); ++i) bar.col(i) += weight[i] * product.col(i);
    variance_bar -= 0.5 * unexplained_shares_[Eigen::Index(field)] * weight.sum();
  }
  const double scale = bar.cwiseProduct(covariances).sum();
  points.contract(parts, bar, scale, gradient);
  points.contract_variance(variance_bar, gradient);
}

void add_prior_adjoint(const InducingFactor& factor, const MatrixXd& means, const MatrixXd& covariance,
                       const MatrixXd& gram, InducingGradient& gradient, int fields) {
  MatrixXd g = gram + covariance + means * means.transpose();
  g.diagonal().array() -= double(fields);
  factor.adjoint(g, gradient);
}

}  // namespace neargp
