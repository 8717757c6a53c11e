#include "latent/effect_posterior.h"

#include <Eigen/Cholesky>

#include "latent/latent_solve.h"

namespace neargp {

Eigen::MatrixXd unseen_design(const LatentModel& model, const Eigen::MatrixXd& design,
                              const Eigen::MatrixXd& response) {
  Eigen::MatrixXd unseen = design;
  std::vector<double> at_data(design.rows());
  for (Index c = 0; c < design.cols(); ++c) {
    model.field_at_data(response.col(c).data(), at_data.data());
    unseen.col(c) -= Eigen::Map<const Eigen::VectorXd>(at_data.data(), design.rows());
  }
  return unseen;
}

bool EffectPosterior::find(const PosteriorFactor& factor, const std::vector<double>& precision,
                           const RunContext& context) {
  const Index n = response_.n(), m = model_.nodes();
  variance_.assign(n, 0.0);
  log_det_ = 0.0;
  if (count_ == 0) return true;
  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const Eigen::MatrixXd design =
      Eigen::Map<const RowMajor>(response_.design.data(), n, response_.coefficients).rightCols(count_);
  std::vector<double> columns(std::size_t(m) * count_), weighted(n);
  for (int c = 0; c < count_; ++c) {
    for (Index i = 0; i < n; ++i) weighted[i] = precision[i] * design(i, c);
    model_.sum_at_nodes(weighted.data(), columns.data() + c * m);
  }
  factor.solve_columns(columns, PosteriorFactor::precise, context);
  const Eigen::MatrixXd response = Eigen::Map<const Eigen::MatrixXd>(columns.data(), m, count_);
  const Eigen::MatrixXd unseen = unseen_design(model_, design, response);
  Eigen::MatrixXd information = trend_information(model_, precision, unseen, response);
  information.diagonal().array() += 1.0;
  const Eigen::LLT<Eigen::MatrixXd> factored(information);
  if (factored.info() != Eigen::Success) return false;
  log_det_ = 2.0 * factored.matrixLLT().diagonal().array().log().sum();
  taken_ = factored.matrixL().solve(response.transpose());
  half_ = factored.matrixL().solve(unseen.transpose());
  cross_ = factored.matrixU().solve(half_).transpose();
  Eigen::Map<Eigen::VectorXd>(variance_.data(), n) = half_.colwise().squaredNorm().transpose();
  return true;
}

}  // namespace neargp
