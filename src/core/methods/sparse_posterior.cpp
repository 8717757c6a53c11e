#include "methods/sparse_posterior.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/error.h"
#include "sparse/conjugate_gradient.h"
#include "sparse/exact_cholesky.h"
#include "sparse/incomplete_cholesky.h"

namespace neargp {

namespace {

double dot(const std::vector<double>& x, const std::vector<double>& y) {
  return std::inner_product(x.begin(), x.end(), y.begin(), 0.0);
}

using Columns = Eigen::Map<const Eigen::MatrixXd>;
using RowMajor = Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>;

}  // namespace

SparsePosterior::SparsePosterior(const LatentModel& model, const LatentResponse& response, bool exact,
                                 const RunContext& context)
    : model_(model),
      response_(response),
      pattern_(model.nodes(), model.order(), model.cliques(), context),
      exact_(exact),
      values_(pattern_.entries()),
      inverse_(pattern_.entries()),
      eta_(response.n()),
      variance_(response.n()),
      slope_(response.n()),
      curvature_(response.n()) {
  if (model.data() != response.n()) throw Error("The model and the response must have the same number of data.");
  if (exact) {
    factor_ = std::make_unique<ExactCholesky>(pattern_);
  } else {
    factor_ = std::make_unique<IncompleteCholesky>(pattern_);
  }
}

// Sites where the likelihood is not log-concave start with a small precision instead of a negative one.
void SparsePosterior::start(const std::vector<double>& beta, const Likelihood& likelihood, const RunContext& context) {
  state_.mean.assign(model_.nodes(), 0.0);
  state_.beta = beta;
  eta_ = response_.trend(beta);
  expectations(likelihood, response_.observations(), eta_.data(), nullptr,
               {nullptr, slope_.data(), curvature_.data(), nullptr}, nullptr, context);
  const double largest = *std::max_element(curvature_.begin(), curvature_.end());
  for (double& w : curvature_) w = std::max(w, 0.05 * largest);
  propose_sites(state_);
}

void SparsePosterior::restore(std::vector<double> mean, std::vector<double> beta, std::vector<double> precision,
                              const RunContext& context) {
  if (Index(mean.size()) != model_.nodes() || Index(precision.size()) != response_.n() ||
      int(beta.size()) != response_.coefficients)
    throw Error("The posterior does not belong to these nodes and data.");
  state_ = {std::move(mean), std::move(beta), std::move(precision), {}};
  factorise_or_fall_back(context);
}

PosteriorOutcome SparsePosterior::fit(const Likelihood& likelihood, const PosteriorSettings& settings,
                                      const RunContext& context) {
  likelihood_ = likelihood;
  kind_ = settings.kind;
  PosteriorOutcome outcome;
  settle(context);
  outcome.value = evaluate(state_, context);
  State proposal;
  propose_sites(proposal);
  double share = 1.0;
  while (outcome.iterations < settings.max_iterations && !outcome.converged) {
    ++outcome.iterations;
    if (context.check_interrupt) context.check_interrupt();
    State next = state_;
    for (std::size_t i = 0; i < next.precision.size(); ++i) {
      next.precision[i] += share * (proposal.precision[i] - next.precision[i]);
      next.natural[i] += share * (proposal.natural[i] - next.natural[i]);
    }
    double value = -std::numeric_limits<double>::infinity();
    if (factorise(next, context)) {
      move_mean(next, context);
      value = evaluate(next, context);
    }
    const double gain = value - outcome.value;
    if (!(gain > -settings.tolerance)) {
      // The step was too long: a part of it, from the same place. A part of 2^-12 that does not gain is rounding.
      share *= 0.5;
      outcome.converged = share < 2.5e-4;
      continue;
    }
    state_ = std::move(next);
    outcome.value = value;
    outcome.converged = std::abs(gain) < settings.tolerance && share == 1.0;
    propose_sites(proposal);
    share = std::min(1.0, 2.0 * share);
  }
  // The last evaluation may have been of a rejected step.
  if (share < 1.0) {
    factorise_or_fall_back(context);
    outcome.value = evaluate(state_, context);
  }
  if (kind_ == PosteriorKind::laplace) outcome.value = finish_laplace(context);
  return outcome;
}

// Mean and trend given the sites, which are those of an earlier covariance.
void SparsePosterior::settle(const RunContext& context) {
  factorise_or_fall_back(context);
  for (int sweep = 0; sweep < 2; ++sweep) {
    move_mean(state_, context);
  }
}

bool SparsePosterior::factorise(const State& state, const RunContext& context) {
  std::fill(values_.begin(), values_.end(), 0.0);
  pattern_.add_outer_products(0, model_.prior_vectors().data(), model_.prior_scale().data(), values_.data());
  if (model_.interpolates()) {
    pattern_.add_outer_products(1, model_.interpolation().weights().data(), state.precision.data(), values_.data());
  } else {
    std::vector<double> at_nodes(model_.nodes());
    model_.sum_at_nodes(state.precision.data(), at_nodes.data());
    pattern_.add_diagonal(at_nodes.data(), values_.data());
  }
  if (factor_->factorise(values_.data(), context) >= 0) return false;
  if (kind_ == PosteriorKind::laplace) return true;
  factor_->inverse(inverse_.data(), context);
  find_variances(context);
  return *std::min_element(variance_.begin(), variance_.end()) > 0.0;
}

bool SparsePosterior::factorise_or_fall_back(const RunContext& context) {
  if (factorise(state_, context)) return true;
  if (exact_)
    throw Error("The precision matrix of the posterior is not positive definite to working precision: raise the jitter.");
  exact_ = true;
  factor_ = std::make_unique<ExactCholesky>(pattern_);
  return factorise_or_fall_back(context);
}

// s_i = v_i + c_i'Z c_i.
void SparsePosterior::find_variances(const RunContext& context) {
  if (!model_.interpolates()) {
    std::vector<double> at_nodes(model_.nodes());
    pattern_.diagonal(inverse_.data(), at_nodes.data());
    model_.field_at_data(at_nodes.data(), variance_.data());
    return;
  }
  const Conditionals& data = model_.interpolation();
  std::vector<double> products(data.weights().size());
  pattern_.multiply_cliques(1, inverse_.data(), data.weights().data(), products.data(), context);
  for (Index i = 0; i < data.targets(); ++i)
    variance_[i] = data.variance()[i] +
                   std::inner_product(data.weights(i), data.weights(i) + data.k(), products.data() + i * data.k(), 0.0);
}

// What the steps climb: L, or for Laplace the log density of data and field. Leaves slopes and curvatures behind.
double SparsePosterior::evaluate(const State& state, const RunContext& context) {
  std::vector<double> field(response_.n()), precision_mean(model_.nodes());
  model_.field_at_data(state.mean.data(), field.data());
  eta_ = response_.trend(state.beta);
  for (std::size_t i = 0; i < eta_.size(); ++i) eta_[i] += field[i];
  const bool laplace = kind_ == PosteriorKind::laplace;
  likelihood_gradient_.assign(likelihood_.parameters.size(), 0.0);
  double value = expectations(likelihood_, response_.observations(), eta_.data(), laplace ? nullptr : variance_.data(),
                              {nullptr, slope_.data(), curvature_.data(), nullptr}, likelihood_gradient_.data(), context);
  model_.precision_times(state.mean.data(), precision_mean.data());
  value -= 0.5 * dot(state.mean, precision_mean);
  if (laplace) return value;
  for (std::size_t i = 0; i < variance_.size(); ++i) {
    const double given_nodes = model_.interpolates() ? model_.interpolation().variance()[i] : 0.0;
    value += 0.5 * state.precision[i] * (variance_[i] - given_nodes);
  }
  return value + 0.5 * model_.log_det_precision() - 0.5 * factor_->log_det();
}

void SparsePosterior::propose_sites(State& sites) const {
  sites.precision = curvature_;
  sites.natural.resize(eta_.size());
  for (std::size_t i = 0; i < eta_.size(); ++i) sites.natural[i] = curvature_[i] * eta_[i] + slope_[i];
}

// One Newton step towards the mean of the sites: the gradient of the quadratic objective is C'(t - W eta) - Q m in the
// field and X'(t - W eta) in the trend; the factor stands for its Hessian.
void SparsePosterior::move_mean(State& state, const RunContext& context) {
  const Index n = response_.n();
  const int p = response_.coefficients;
  std::vector<double> residual(n), field(n), at_nodes(model_.nodes()), prior(model_.nodes()), at_coefficients(p, 0.0);
  model_.field_at_data(state.mean.data(), field.data());
  const std::vector<double> trend = response_.trend(state.beta);
  for (Index i = 0; i < n; ++i) residual[i] = state.natural[i] - state.precision[i] * (trend[i] + field[i]);
  model_.sum_at_nodes(residual.data(), at_nodes.data());
  model_.precision_times(state.mean.data(), prior.data());
  for (std::size_t j = 0; j < prior.size(); ++j) at_nodes[j] -= prior[j];
  for (Index i = 0; i < n; ++i)
    for (int c = 0; c < p; ++c) at_coefficients[c] += response_.design[i * p + c] * residual[i];
  const Direction step = joint_solve(state, std::move(at_nodes), std::move(at_coefficients), false, context);
  for (std::size_t j = 0; j < step.mean.size(); ++j) state.mean[j] += step.mean[j];
  for (int c = 0; c < p; ++c) state.beta[c] += step.beta[c];
}

// C'WX, by column.
std::vector<double> SparsePosterior::weighted_design_at_nodes(const State& state) const {
  const Index n = response_.n();
  const int p = response_.coefficients;
  std::vector<double> result(std::size_t(model_.nodes()) * p), weighted(n);
  for (int c = 0; c < p; ++c) {
    for (Index i = 0; i < n; ++i) weighted[i] = state.precision[i] * response_.design[i * p + c];
    model_.sum_at_nodes(weighted.data(), result.data() + std::size_t(c) * model_.nodes());
  }
  return result;
}

// Solves [A, C'WX; X'WC, X'WX] [mean; beta] = [at_nodes; at_coefficients] by elimination of the field; unless `refined`
// with the factor in the place of A.
SparsePosterior::Direction SparsePosterior::joint_solve(const State& state, std::vector<double> at_nodes,
                                                        std::vector<double> at_coefficients,
                                                        bool refined, const RunContext& context) const {
  const int p = response_.coefficients;
  const Index m = model_.nodes();
  Direction result{std::move(at_nodes), std::move(at_coefficients)};
  if (p == 0) {
    solve_columns(result.mean, refined, context);
    return result;
  }
  const std::vector<double> cross = weighted_design_at_nodes(state);
  std::vector<double> solved = cross;
  solved.insert(solved.end(), result.mean.begin(), result.mean.end());
  solve_columns(solved, refined, context);
  const Columns C(cross.data(), m, p), H(solved.data(), m, p);
  const Eigen::Map<const Eigen::VectorXd> field(solved.data() + std::size_t(p) * m, m);
  const RowMajor X(response_.design.data(), response_.n(), p);
  const Eigen::Map<const Eigen::VectorXd> W(state.precision.data(), response_.n());
  const Eigen::MatrixXd schur = X.transpose() * W.asDiagonal() * X - C.transpose() * H;
  Eigen::Map<Eigen::VectorXd> beta(result.beta.data(), p);
  beta = schur.ldlt().solve(beta - C.transpose() * field);
  Eigen::Map<Eigen::VectorXd>(result.mean.data(), m) = field - H * beta;
  return result;
}

std::vector<double> SparsePosterior::solve(const std::vector<double>& h, const RunContext& context) const {
  std::vector<double> x(h.size(), 0.0);
  if (conjugate_gradient(pattern_, values_.data(), *factor_, h.data(), x.data(), 1e-10, 200, context) < 0)
    throw Error("The conjugate gradients for the posterior mean did not converge: raise the jitter.");
  return x;
}

// In place, columns of one number for each node.
void SparsePosterior::solve_columns(std::vector<double>& columns, bool refined, const RunContext& context) const {
  const std::size_t m = std::size_t(model_.nodes());
  if (!refined) return factor_->solve(columns.data(), int(columns.size() / m), context);
  for (auto first = columns.begin(); first != columns.end(); first += m) {
    const std::vector<double> solved = solve({first, first + m}, context);
    std::copy(solved.begin(), solved.end(), first);
  }
}

std::vector<double> SparsePosterior::field_response(const RunContext& context) const {
  std::vector<double> result = weighted_design_at_nodes(state_);
  solve_columns(result, true, context);
  return result;
}

std::vector<double> SparsePosterior::trend_covariance(const std::vector<double>& field_response) const {
  const int p = response_.coefficients;
  const Index m = model_.nodes();
  const std::vector<double> cross = weighted_design_at_nodes(state_);
  const Columns C(cross.data(), m, p), H(field_response.data(), m, p);
  const RowMajor X(response_.design.data(), response_.n(), p);
  const Eigen::Map<const Eigen::VectorXd> W(state_.precision.data(), response_.n());
  const Eigen::MatrixXd schur = X.transpose() * W.asDiagonal() * X - C.transpose() * H;
  const Eigen::MatrixXd covariance = schur.ldlt().solve(Eigen::MatrixXd::Identity(p, p));
  return {covariance.data(), covariance.data() + covariance.size()};
}

}  // namespace neargp
