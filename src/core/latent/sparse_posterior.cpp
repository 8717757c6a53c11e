#include "latent/sparse_posterior.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/error.h"
#include "latent/latent_solve.h"
#include "latent/node_design.h"
#include "linalg/sparse/exact_cholesky.h"
#include "linalg/sparse/incomplete_cholesky.h"
#include "linalg/sparse/mean_field_factor.h"

namespace neargp {

namespace {

constexpr Index most_nodes_for_exact = 5000;
// Of binary responses at 1,500 points in two and five coordinates, Matern fields of smoothness 1/2 to 5/2, the error
// was at most 0.04. With 0.05 to 0.12 values were wrong by up to 6 units (smoothness 5/2, 400 points in 20
// coordinates).
constexpr double most_factor_error = 0.05;

double dot(const std::vector<double>& x, const std::vector<double>& y) {
  return std::inner_product(x.begin(), x.end(), y.begin(), 0.0);
}

}  // namespace

SparsePosterior::SparsePosterior(const LatentModel& model, const LatentResponse& response, bool exact,
                                 const RunContext& context, bool mean_field, double factor_bytes)
    : model_(model),
      response_(response),
      pattern_(model.nodes(), model.order(), model.cliques(), context,
               exact ? std::numeric_limits<double>::infinity() : factor_bytes),
      exact_(exact),
      mean_field_(mean_field),
      factor_(make_factor()),
      node_design_(node_design(model, response)),
      values_(pattern_.entries()),
      inverse_(pattern_.entries()),
      eta_(response.n()),
      variance_(response.n()),
      slope_(response.n()),
      curvature_(response.n()) {}

std::unique_ptr<SparseFactor> SparsePosterior::make_factor() const {
  std::unique_ptr<SparseFactor> factor;
  if (exact_) {
    factor = exact_factor(pattern_);
  } else {
    factor = std::make_unique<IncompleteCholesky>(pattern_);
  }
  if (!mean_field_) return factor;
  return std::make_unique<MeanFieldFactor>(pattern_, std::move(factor));
}

// Pseudo-observations where the likelihood is not log-concave start with a small precision instead of a negative one.
void SparsePosterior::start(const std::vector<double>& linear_predictor, const Likelihood& likelihood,
                            const RunContext& context) {
  if (Index(linear_predictor.size()) != response_.n()) throw Error("There must be one linear predictor for each datum.");
  state_.mean.assign(model_.nodes(), 0.0);
  state_.beta.assign(response_.coefficients, 0.0);
  eta_ = linear_predictor;
  expectations(likelihood, response_.observations(), eta_.data(), nullptr,
               {nullptr, slope_.data(), curvature_.data(), nullptr}, nullptr, context);
  const double largest = *std::max_element(curvature_.begin(), curvature_.end());
  for (double& w : curvature_) w = std::max(w, 0.05 * largest);
  propose_pseudo_observations(state_);
}

void SparsePosterior::resume(std::vector<double> mean, std::vector<double> beta, std::vector<double> precision,
                             std::vector<double> linear_predictor, std::vector<double> slope) {
  if (Index(linear_predictor.size()) != response_.n() || Index(slope.size()) != response_.n())
    throw Error("There must be one linear predictor and one slope for each datum.");
  set_state(std::move(mean), std::move(beta), std::move(precision));
  eta_ = std::move(linear_predictor);
  slope_ = std::move(slope);
  set_natural_means(state_);
}

void SparsePosterior::set_state(std::vector<double> mean, std::vector<double> beta, std::vector<double> precision) {
  if (Index(mean.size()) != model_.nodes() || Index(precision.size()) != response_.n() ||
      int(beta.size()) != response_.coefficients)
    throw Error("The posterior does not belong to these nodes and data.");
  state_ = {std::move(mean), std::move(beta), std::move(precision), {}};
}

void SparsePosterior::restore(std::vector<double> mean, std::vector<double> beta, std::vector<double> precision,
                              const RunContext& context) {
  set_state(std::move(mean), std::move(beta), std::move(precision));
  assemble_prior();
  factorize_or_fall_back(context);
}

PosteriorOutcome SparsePosterior::fit(const Likelihood& likelihood, const PosteriorSettings& settings,
                                      const RunContext& context) {
  likelihood_ = likelihood;
  kind_ = settings.kind;
  PosteriorOutcome outcome;
  assemble_prior();
  if (kind_ == PosteriorKind::laplace) drop_negative_pseudo_observations();  // those of an earlier mode, see propose_pseudo_observations()
  if (likelihood.family == ResponseFamily::gaussian) find_gaussian_pseudo_observations(context);
  converge(context);
  outcome.value = evaluate(state_, context);
  State proposal;
  propose_pseudo_observations(proposal);
  double share = 1.0, checkpoint_value = outcome.value;
  int taken = 0;
  while (outcome.iterations < settings.max_iterations && !outcome.converged) {
    if (share == 1.0 && is_settled(proposal, settings.tolerance, context)) {
      outcome.converged = true;
      break;
    }
    ++outcome.iterations;
    if (context.check_interrupt) context.check_interrupt();
    Step step = part_of_step(proposal, share, context);
    const double gain = step.value - outcome.value;
    if (!(gain > -settings.tolerance)) {
      // Too long: a part of it, from the same place. A part of 2^-12 that does not gain is rounding.
      share *= 0.5;
      outcome.converged = share < 2.5e-4;
      continue;
    }
    state_ = std::move(step.state);
    outcome.value = step.value;
    outcome.converged = std::max(std::abs(gain), step.predicted_gain) < settings.tolerance && share == 1.0;
    // Steps that swing about the optimum gain nothing in ten.
    if (++taken % 10 == 0) {
      outcome.converged = outcome.converged || outcome.value - checkpoint_value < settings.tolerance;
      checkpoint_value = outcome.value;
    }
    propose_pseudo_observations(proposal);
    share = std::min(1.0, 2.0 * share);
  }
  if (share < 1.0) {  // the last evaluation may have been of a rejected step
    factorize_or_fall_back(context);
    outcome.value = evaluate(state_, context);
  }
  if (kind_ == PosteriorKind::laplace) outcome.value = finish_laplace(context);
  return outcome;
}

// Pseudo-observations moved that share of the way to the proposed ones, the mean to theirs.
SparsePosterior::Step SparsePosterior::part_of_step(const State& proposal, double share, const RunContext& context) {
  Step step{state_, -std::numeric_limits<double>::infinity(), 0.0};
  for (std::size_t i = 0; i < proposal.precision.size(); ++i) {
    step.state.precision[i] += share * (proposal.precision[i] - step.state.precision[i]);
    step.state.natural[i] += share * (proposal.natural[i] - step.state.natural[i]);
  }
  if (!factorize(step.state, context)) return step;
  step.predicted_gain = move_mean(step.state, context);
  step.value = evaluate(step.state, context);
  return step;
}

// Pseudo-observations of a gaussian response are the data, wherever the field is.
void SparsePosterior::find_gaussian_pseudo_observations(const RunContext& context) {
  expectations(likelihood_, response_.observations(), eta_.data(), nullptr,
               {nullptr, slope_.data(), curvature_.data(), nullptr}, nullptr, context);
  propose_pseudo_observations(state_);
}

// Says whether a step to the proposed pseudo-observations would gain less than the tolerance: with dW for the change of
// their precisions, dL/dW_j = 1/2 sum_i dW_i Z_ij^2, so that L rises by at most dW'(Z o Z) dW / 2 (on the pattern,
// beyond which Z is small), and by what a Newton step of the mean promises. To tell costs a tenth of the factor and
// inverse that the step takes.
bool SparsePosterior::is_settled(const State& proposal, double tolerance, const RunContext& context) {
  if (kind_ == PosteriorKind::laplace || model_.interpolates()) return false;
  std::vector<double> change(proposal.precision.size()), at_nodes(model_.nodes());
  for (std::size_t i = 0; i < change.size(); ++i) change[i] = proposal.precision[i] - state_.precision[i];
  model_.sum_at_nodes(change.data(), at_nodes.data());
  if (!(0.5 * pattern_.squared_form(inverse_.data(), at_nodes.data()) < tolerance)) return false;
  State moved = state_;
  set_natural_means(moved);
  return move_mean(moved, context) < tolerance;
}

// Mean and trend given the pseudo-observations, which are those of an earlier covariance.
void SparsePosterior::converge(const RunContext& context) {
  factorize_or_fall_back(context);
  move_mean(state_, context);
}

// Q, the same for all pseudo-observations.
void SparsePosterior::assemble_prior() {
  factorized_.clear();
  prior_values_.assign(pattern_.entries(), 0.0);
  pattern_.add_outer_products(0, model_.prior_vectors().data(), model_.prior_scale().data(), prior_values_.data());
}

// Nothing is to be done where the pseudo-observations are those of the factor, as those of a gaussian response are in
// all but the first step.
bool SparsePosterior::factorize(const State& state, const RunContext& context) {
  if (state.precision == factorized_) return true;
  factorized_.clear();
  values_ = prior_values_;
  if (model_.interpolates()) {
    pattern_.add_outer_products(1, model_.interpolation().weights().data(), state.precision.data(), values_.data());
  } else {
    std::vector<double> at_nodes(model_.nodes());
    model_.sum_at_nodes(state.precision.data(), at_nodes.data());
    pattern_.add_diagonal(at_nodes.data(), values_.data());
  }
  if (!factor_->factorize(values_.data(), context)) return false;
  if (kind_ != PosteriorKind::laplace) {
    factor_->inverse(inverse_.data(), context);
    find_variances(context);
    if (!(*std::min_element(variance_.begin(), variance_.end()) > 0.0)) return false;
  }
  const bool checked = !exact_ && !mean_field_ && may_fall_back();
  if (checked && factor_error(state.precision, context) > most_factor_error) return false;
  factorized_ = state.precision;
  return true;
}

bool SparsePosterior::may_fall_back() const {
  return !pattern_.is_restricted() && model_.nodes() <= most_nodes_for_exact;
}

// Pivots may all be positive and the factor M = LL' have next to nothing in common with A: of a smooth field in many
// inputs values have been wrong by thousands. The error of M^-1 h, for a vector h of signs, in the norm of M^-1; 0 of
// an exact factor. It is nearly the error of the largest variances.
double SparsePosterior::factor_error(const std::vector<double>& precision, const RunContext& context) const {
  constexpr double golden = 0.6180339887498949;
  std::vector<double> h(model_.nodes());
  for (std::size_t j = 0; j < h.size(); ++j) h[j] = std::fmod(golden * double(j), 1.0) < 0.5 ? 1.0 : -1.0;
  std::vector<double> solved = h;
  factor_->solve(solved.data(), 1, context);
  std::vector<double> residual = posterior_precision_times(model_, precision, solved);
  for (std::size_t j = 0; j < h.size(); ++j) residual[j] -= h[j];
  std::vector<double> error = residual;
  factor_->solve(error.data(), 1, context);
  return std::sqrt(dot(residual, error) / dot(h, solved));
}

// An optimiser turns back from an error. The exact factor, that of a few nodes, then stays for the sake of one
// objective; of many nodes in many dimensions a single one would take an hour.
bool SparsePosterior::factorize_or_fall_back(const RunContext& context) {
  if (factorize(state_, context)) return true;
  if (drop_negative_pseudo_observations()) return factorize_or_fall_back(context);
  if (exact_) throw Error("The precision matrix of the posterior is not positive definite to working precision.");
  if (!may_fall_back())
    throw Error("The incomplete factor of the posterior's precision broke down, and the exact one would take too much.");
  exact_ = true;
  factor_ = make_factor();
  return factorize_or_fall_back(context);
}

// Where the likelihood is not log-concave, pseudo-observations of an earlier covariance can be too negative for this
// one. Returns whether there were any; their slopes stay.
bool SparsePosterior::drop_negative_pseudo_observations() {
  bool found = false;
  for (std::size_t i = 0; i < state_.precision.size(); ++i) {
    if (!(state_.precision[i] < 0.0)) continue;
    found = true;
    if (!state_.natural.empty()) state_.natural[i] -= state_.precision[i] * eta_[i];
    state_.precision[i] = 0.0;
  }
  return found;
}

// s_i = v_i + c_i'Z c_i.
void SparsePosterior::find_variances(const RunContext& context) {
  if (!model_.interpolates()) {
    std::vector<double> at_nodes(model_.nodes());
    pattern_.diagonal(inverse_.data(), at_nodes.data());
    model_.field_at_data(at_nodes.data(), variance_.data());
    return;
  }
  const NodeConditionals& data = model_.interpolation();
  std::vector<double> products(data.weights().size());
  pattern_.multiply_cliques(1, inverse_.data(), data.weights().data(), products.data(), context);
  for (Index i = 0; i < data.targets(); ++i)
    variance_[i] = data.variance()[i] +
                   std::inner_product(data.weights(i), data.weights(i) + data.k(), products.data() + i * data.k(), 0.0);
}

std::vector<double> SparsePosterior::node_variance() const {
  std::vector<double> variance(model_.nodes());
  pattern_.diagonal(inverse_.data(), variance.data());
  return variance;
}

// The objective of the steps: L, or for Laplace the log density of data and field. Leaves slopes and curvatures behind.
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

// Laplace's mode does not depend on the precisions of the steps that lead to it.
void SparsePosterior::propose_pseudo_observations(State& state) const {
  state.precision = curvature_;
  if (kind_ == PosteriorKind::laplace)
    for (double& w : state.precision) w = std::max(w, 0.0);
  set_natural_means(state);
}

// Sets the natural means that make the present linear predictors stationary.
void SparsePosterior::set_natural_means(State& state) const {
  state.natural.resize(eta_.size());
  for (std::size_t i = 0; i < eta_.size(); ++i) state.natural[i] = state.precision[i] * eta_[i] + slope_[i];
}

}  // namespace neargp
