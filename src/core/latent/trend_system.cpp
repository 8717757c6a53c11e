#include "latent/trend_system.h"

#include <Eigen/Cholesky>
#include <utility>

#include "latent/latent_solve.h"

namespace neargp {

namespace {

using Columns = Eigen::Map<const Eigen::MatrixXd>;
using ConstVector = Eigen::Map<const Eigen::VectorXd>;

// X - C Xn, row-major.
std::vector<double> left_of_design(const LatentModel& model, const LatentResponse& response,
                                   const std::vector<double>& node_design) {
  const int p = response.coefficients;
  std::vector<double> left = response.design, at_data(response.n());
  for (int c = 0; c < p; ++c) {
    model.field_at_data(node_design.data() + c * model.nodes(), at_data.data());
    for (Index i = 0; i < response.n(); ++i) left[i * p + c] -= at_data[i];
  }
  return left;
}

// The covariance matrix [V, VB'; BV, S + BVB'] of all coefficients. V is that of the first ones, and B is the response
// of the others u to these. For the information I, S = I_uu^-1 and B = -S I_ub.
Eigen::MatrixXd covariance_given(const Eigen::MatrixXd& V, const Eigen::MatrixXd& information) {
  const Index p = V.rows(), effects = information.rows() - p;
  if (effects == 0) return V;
  const Eigen::MatrixXd S =
      information.bottomRightCorner(effects, effects).ldlt().solve(Eigen::MatrixXd::Identity(effects, effects));
  const Eigen::MatrixXd B = -S * information.bottomLeftCorner(effects, p);
  Eigen::MatrixXd covariance(p + effects, p + effects);
  covariance << V, V * B.transpose(), B * V, S + B * V * B.transpose();
  return covariance;
}

}  // namespace

TrendSystem::TrendSystem(const LatentModel& model, const LatentResponse& response,
                         const std::vector<double>& node_design, int effects, const PosteriorFactor& factor,
                         const std::vector<double>& precision, double tolerance, const RunContext& context,
                         LastTrend* last, std::vector<double>* also)
    : model_(model), node_design_(node_design), factor_(factor), precision_(precision),
      coefficients_(response.coefficients), effects_(effects), tolerance_(tolerance),
      left_(left_of_design(model, response, node_design)) {
  const Index m = model.nodes(), n = response.n();
  const int p = coefficients_;
  std::vector<double> coupling(std::size_t(m) * p), weighted(n), at_nodes(m);
  Eigen::MatrixXd rest(p, p);
  for (int c = 0; c < p; ++c) {
    model.precision_times(node_design.data() + c * m, coupling.data() + c * m);
    for (Index i = 0; i < n; ++i) weighted[i] = precision[i] * left_[i * p + c];
    for (int d = 0; d < p; ++d) {
      rest(c, d) = 0.0;
      for (Index i = 0; i < n; ++i) rest(c, d) += weighted[i] * left_[i * p + d];
    }
    model.sum_at_nodes(weighted.data(), at_nodes.data());
    rest.row(c) += ConstVector(coupling.data() + c * m, m).transpose() * Columns(node_design.data(), m, p);
    for (Index j = 0; j < m; ++j) coupling[c * m + j] -= at_nodes[j];
  }
  response_ = coupling;
  if (last) {
    solve_near(*last, *also, context);
  } else {
    factor.solve_columns(response_, tolerance, context);
  }
  const Columns K(coupling.data(), m, p), G(response_.data(), m, p);
  schur_ = rest - K.transpose() * G;
  if (last) schur_ -= residual().transpose() * G;
  if (effects_ > 0) schur_.diagonal().tail(effects_).array() += 1.0;
}

// K'A^-1 K is 2 K'G - G'A G, and K'A^-1 h is G'h + (K - A G)'A^-1 h, up to products of the errors of two solutions. An
// error of a solution that started from another one would count for itself in K'G and G'h.
void TrendSystem::solve_near(LastTrend& last, std::vector<double>& also, const RunContext& context) {
  const std::size_t size = response_.size();
  if (last.revision == model_.revision() && last.precision == precision_ && last.response.size() == size) {
    response_ = last.response;
    residual_ = last.residual;
    factor_.solve_near(also, {}, tolerance_, context);
    return;
  }
  response_.insert(response_.end(), also.begin(), also.end());
  residual_ = factor_.solve_near(response_, last.response.size() == size ? last.response : std::vector<double>(),
                                 tolerance_, context);
  residual_.resize(size);
  also.assign(response_.begin() + Index(size), response_.end());
  response_.resize(size);
  last = {model_.revision(), precision_, response_, residual_};
}

TrendSystem::Direction TrendSystem::solve(const std::vector<double>& at_nodes, std::vector<double> at_coefficients,
                                          int held, const RunContext& context) const {
  std::vector<double> solved = at_nodes;
  factor_.solve_columns(solved, tolerance_, context);
  return solve(at_nodes, std::move(solved), std::move(at_coefficients), held);
}

TrendSystem::Direction TrendSystem::solve(const std::vector<double>& at_nodes, std::vector<double> solved,
                                          std::vector<double> at_coefficients, int held) const {
  const int p = coefficients_, moving = p - held;
  const Index m = model_.nodes();
  Direction result{std::move(solved), std::move(at_coefficients)};
  if (p == 0) return result;
  const Columns G(response_.data(), m, p), average(node_design_.data(), m, p);
  Eigen::Map<Eigen::VectorXd> beta(result.beta.data(), p), mean(result.mean.data(), m);
  Eigen::VectorXd gradient = beta + G.transpose() * ConstVector(at_nodes.data(), m);
  if (!residual_.empty()) gradient += residual().transpose() * mean;
  beta.head(held).setZero();
  if (moving > 0) beta.tail(moving) = schur_.bottomRightCorner(moving, moving).ldlt().solve(gradient.tail(moving));
  mean += (G - average) * beta;
  return result;
}

Eigen::MatrixXd TrendSystem::field_response() const {
  const Index m = model_.nodes();
  return Columns(node_design_.data(), m, coefficients_) - Columns(response_.data(), m, coefficients_);
}

// X - C H = (X - C Xn) + C G
Eigen::MatrixXd TrendSystem::unseen() const {
  const Index n = Index(precision_.size()), m = model_.nodes();
  const int p = coefficients_;
  std::vector<double> at_data(n);
  Eigen::MatrixXd unseen(n, p);
  for (int c = 0; c < p; ++c) {
    model_.field_at_data(response_.data() + c * m, at_data.data());
    for (Index i = 0; i < n; ++i) unseen(i, c) = left_[i * p + c] + at_data[i];
  }
  return unseen;
}

TrendSystem::Trend TrendSystem::trend(const Eigen::MatrixXd* of_trend) const {
  const Index n = Index(precision_.size());
  const int p = coefficients_;
  const Eigen::MatrixXd H = field_response(), unseen = this->unseen();
  Eigen::MatrixXd information = trend_information(model_, precision_, unseen, H);
  if (effects_ > 0) information.diagonal().tail(effects_).array() += 1.0;
  const Eigen::MatrixXd covariance = of_trend
                                         ? covariance_given(*of_trend, information)
                                         : Eigen::MatrixXd(information.ldlt().solve(Eigen::MatrixXd::Identity(p, p)));
  const Eigen::VectorXd added = (unseen * covariance).cwiseProduct(unseen).rowwise().sum();
  return {{H.data(), H.data() + H.size()},
          {covariance.data(), covariance.data() + covariance.size()},
          {added.data(), added.data() + n}};
}

}  // namespace neargp
