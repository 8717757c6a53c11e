#include "latent/sparse_posterior.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "latent/evidence_bound.h"
#include "latent/node_design.h"

namespace neargp {

namespace {

using ConstVector = Eigen::Map<const Eigen::VectorXd>;

}  // namespace

void PosteriorState::find_natural_means(const std::vector<double>& slope) {
  natural.resize(slope.size());
  for (std::size_t i = 0; i < slope.size(); ++i) natural[i] = precision[i] * linear_predictor[i] + slope[i];
}

PosteriorState opposite_state(const PosteriorState& a, const PosteriorState& b) {
  const auto opposite = [](std::vector<double> x, const std::vector<double>& y) {
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = 2.0 * x[i] - y[i];
    return x;
  };
  const auto slope = [](const PosteriorState& x) {
    std::vector<double> slope = x.natural;
    for (std::size_t i = 0; i < slope.size(); ++i) slope[i] -= x.precision[i] * x.linear_predictor[i];
    return slope;
  };
  PosteriorState state{opposite(a.mean, b.mean),
                       opposite(a.beta, b.beta),
                       opposite(a.precision, b.precision),
                       {},
                       opposite(a.linear_predictor, b.linear_predictor),
                       a.has_trend};
  for (std::size_t i = 0; i < state.precision.size(); ++i)
    if (a.precision[i] > 0.0 && b.precision[i] > 0.0)
      state.precision[i] = a.precision[i] * a.precision[i] / b.precision[i];
  state.find_natural_means(opposite(slope(a), slope(b)));
  return state;
}

SparsePosterior::SparsePosterior(const LatentModel& model, const LatentResponse& response, PosteriorKind kind,
                                 const FactorSettings& factor, const RunContext& context, int effects, bool joint_trend)
    : model_(model), response_(response), kind_(kind), joint_trend_(joint_trend), factor_(model, kind, factor, context),
      effects_(model, response, effects), node_design_(node_design(model, response)), slope_(response.n()),
      curvature_(response.n()) {
  if (effects > 0 && ((model.interpolates() && !model.loadings()) || kind == PosteriorKind::mean_field))
    throw Error("Random effects need a node at every datum, and another posterior than the mean field.");
  if (model.loadings() && kind != PosteriorKind::sparse) throw Error("Several fields need the sparse posterior.");
  // Several fields are centred by their loadings, which fit() knows.
  const Index centred = model.loadings() ? 0 : response.coefficients - effects;
  std::fill(node_design_.begin() + centred * model.nodes(), node_design_.end(), 0.0);
  uncentred_.assign(node_design_.size(), 0.0);
}

const std::vector<double>& SparsePosterior::centring(const std::vector<double>& precision) const {
  return is_next_to_nothing(model_, precision) ? uncentred_ : node_design_;
}

// Factorises A and, where their variances are wanted, finds the posterior of the random effects.
bool SparsePosterior::factorize(const std::vector<double>& precision, const RunContext& context) {
  if (!factor_.factorize(precision, context)) return false;
  return kind_ == PosteriorKind::laplace || effects_.find(factor_, precision, context);
}

double SparsePosterior::log_prior_of_effects(const std::vector<double>& beta) const {
  double sum = 0.0;
  for (std::size_t c = effects_.first(); c < beta.size(); ++c) sum += beta[c] * beta[c];
  return -0.5 * sum;
}

// The variance of field and random effects, by datum.
std::vector<double> SparsePosterior::total_variance() const {
  std::vector<double> variance = factor_.variance_at_data();
  if (effects_.count() > 0)
    for (std::size_t i = 0; i < variance.size(); ++i) variance[i] += effects_.variance()[i];
  return variance;
}

PosteriorState SparsePosterior::start(std::vector<double> linear_predictor, const Likelihoods& likelihood,
                                      const RunContext& context) const {
  if (Index(linear_predictor.size()) != response_.n())
    throw Error("There must be one linear predictor for each datum.");
  std::vector<double> slope(response_.n()), curvature(response_.n());
  likelihood.expectations(response_.observations(), linear_predictor.data(), nullptr,
                          {nullptr, slope.data(), curvature.data(), nullptr}, nullptr, context);
  make_starting_precision(slope.data(), curvature.data(), response_.n());
  PosteriorState state{std::vector<double>(model_.nodes(), 0.0),
                       std::vector<double>(response_.coefficients, 0.0),
                       std::move(curvature),
                       {},
                       std::move(linear_predictor)};
  state.find_natural_means(slope);
  return state;
}

PosteriorState SparsePosterior::resume(std::vector<double> mean, std::vector<double> beta,
                                       std::vector<double> precision, std::vector<double> linear_predictor,
                                       const std::vector<double>& slope) const {
  if (Index(linear_predictor.size()) != response_.n() || Index(slope.size()) != response_.n())
    throw Error("There must be one linear predictor and one slope for each datum.");
  PosteriorState state{std::move(mean), std::move(beta), std::move(precision), {}, std::move(linear_predictor), true};
  check_state(state);
  state.find_natural_means(slope);
  return state;
}

void SparsePosterior::check_state(const PosteriorState& state) const {
  if (Index(state.mean.size()) != model_.nodes() || Index(state.precision.size()) != response_.n() ||
      int(state.beta.size()) != response_.coefficients)
    throw Error("The posterior does not belong to these nodes and data.");
}

void SparsePosterior::restore(std::vector<double> mean, std::vector<double> beta, std::vector<double> precision,
                              const RunContext& context) {
  state_ = {std::move(mean), std::move(beta), std::move(precision), {}, {}};
  check_state(state_);
  factor_.set_prior();
  factorize_or_fall_back(context);
}

PosteriorOutcome SparsePosterior::fit(PosteriorState start, const Likelihoods& likelihood,
                                      const PosteriorSettings& settings, bool derivatives, const RunContext& context) {
  check_state(start);
  state_ = std::move(start);
  likelihood_ = likelihood;
  // Steps of several fields by an incomplete factor misplace the trend by a good part of its standard errors.
  refined_steps_ = model_.loadings() != nullptr;
  if (model_.loadings()) {
    node_design_ = node_design_of_fields(model_, response_, state_.precision, int(effects_.first()));
    last_trend_.revision = 0;  // its response is where the next one begins, and not the same
  }
  factor_.set_prior();
  held_ = maximises_trend() && state_.has_trend ? effects_.first() : 0;
  PosteriorOutcome outcome = find_mode(settings, context);
  if (kind_ == PosteriorKind::laplace) outcome.value = finish_laplace(context);
  if (maximises_trend()) climb_in_trend(outcome, settings, context);
  if (derivatives) outcome.gradient = gradient(context);
  return outcome;
}

// Mean and trend given the pseudo-observations, which are those of an earlier covariance.
void SparsePosterior::converge(const RunContext& context) {
  factorize_or_fall_back(context);
  move_mean(state_, context);
}

// Takes one Newton step of the quadratic objective of the pseudo-observations. Returns the gain that it promises. An
// incomplete factor is as good as exact for such steps, since others follow. Steps by a restricted one may not even
// converge. With random effects any of them can lead downhill: X'WX - X'WC A^-1 C'WX need not be positive with the
// factor in place of A. All further steps of the fit then solve with A.
double SparsePosterior::move_mean(PosteriorState& state, const RunContext& context) {
  if (!steps_may_mislead()) return newton_step_of_mean(state, context);
  PosteriorState moved = state;
  const double gain = newton_step_of_mean(moved, context);
  if (gain >= 0.0) {
    state = std::move(moved);
    return gain;
  }
  refined_steps_ = true;
  return newton_step_of_mean(state, context);
}

double SparsePosterior::newton_step_of_mean(PosteriorState& state, const RunContext& context) {
  const Index n = response_.n(), m = model_.nodes();
  const int p = response_.coefficients;
  std::vector<double> residual(n), field(n), at_nodes(m), prior(m), at_coefficients(p, 0.0);
  model_.field_at_data(state.mean.data(), field.data());
  const std::vector<double> trend = response_.trend(state.beta);
  for (Index i = 0; i < n; ++i) residual[i] = state.natural[i] - state.precision[i] * (trend[i] + field[i]);
  model_.sum_at_nodes(residual.data(), at_nodes.data());
  model_.precision_times(state.mean.data(), prior.data());
  for (Index j = 0; j < m; ++j) at_nodes[j] -= prior[j];
  const std::vector<double>& average = centring(state.precision);
  const bool fields = model_.loadings() != nullptr;
  std::vector<double> solved = at_nodes;
  const TrendSystem system(model_, response_, average, effects_.count(), factor_, state.precision, step_tolerance(),
                           context, fields ? &last_trend_ : nullptr, fields ? &solved : nullptr);
  for (int c = 0; c < p; ++c) {
    at_coefficients[c] = ConstVector(prior.data(), m).dot(ConstVector(average.data() + c * m, m));
    for (Index i = 0; i < n; ++i) at_coefficients[c] += system.design_left()[i * p + c] * residual[i];
    if (c >= effects_.first()) at_coefficients[c] -= state.beta[c];
  }
  const TrendSystem::Direction step = fields ? system.solve(at_nodes, std::move(solved), at_coefficients, held_)
                                             : system.solve(at_nodes, at_coefficients, held_, context);
  double predicted_gain = 0.0;
  for (Index j = 0; j < m; ++j) {
    double centered = step.mean[j];
    for (int c = 0; c < p; ++c) centered += average[c * m + j] * step.beta[c];
    predicted_gain += 0.5 * at_nodes[j] * centered;
    state.mean[j] += step.mean[j];
  }
  for (int c = 0; c < p; ++c) {
    predicted_gain += 0.5 * at_coefficients[c] * step.beta[c];
    state.beta[c] += step.beta[c];
  }
  return predicted_gain;
}

// An optimiser turns back from an error. With few nodes the exact factor then stays until the end, for the sake of one
// objective. With many nodes in many dimensions a single exact factor would take an hour.
bool SparsePosterior::factorize_or_fall_back(const RunContext& context) {
  if (factorize(state_.precision, context)) return true;
  if (drop_negative_pseudo_observations()) return factorize_or_fall_back(context);
  if (factor_.is_exact())
    throw Error("The precision matrix of the posterior is not positive definite to working precision.");
  if (!factor_.can_be_exact())
    throw Error("The incomplete factor of the posterior's precision broke down, and the exact one takes too much.");
  factor_.become_exact(context);
  return factorize_or_fall_back(context);
}

// Where the likelihood is not log-concave, pseudo-observations of an earlier covariance can be too negative for this
// one. Returns whether there were any; their slopes stay.
bool SparsePosterior::drop_negative_pseudo_observations() {
  bool found = false;
  for (std::size_t i = 0; i < state_.precision.size(); ++i) {
    if (!(state_.precision[i] < 0.0)) continue;
    found = true;
    if (!state_.natural.empty()) state_.natural[i] -= state_.precision[i] * state_.linear_predictor[i];
    state_.precision[i] = 0.0;
  }
  return found;
}

// The objective of the steps: the ELBO, or the log density of data and field for Laplace's approximation. Updates
// slopes and curvatures.
double SparsePosterior::evaluate(PosteriorState& state, const RunContext& context) {
  std::vector<double> field(response_.n());
  model_.field_at_data(state.mean.data(), field.data());
  state.linear_predictor = response_.trend(state.beta);
  for (std::size_t i = 0; i < field.size(); ++i) state.linear_predictor[i] += field[i];
  const bool laplace = kind_ == PosteriorKind::laplace;
  const std::vector<double> variance = laplace ? std::vector<double>() : total_variance();
  likelihood_gradient_.assign(likelihood_.parameters(), 0.0);
  const double log_likelihood = likelihood_.expectations(
      response_.observations(), state.linear_predictor.data(), laplace ? nullptr : variance.data(),
      {nullptr, slope_.data(), curvature_.data(), nullptr}, likelihood_gradient_.data(), context);
  const double prior = log_prior_of_effects(state.beta);
  if (laplace) return log_joint_density(log_likelihood, model_, state.mean) + prior;
  double value = evidence_bound(log_likelihood, model_, factor_, state.precision, state.mean) + prior;
  value -= 0.5 * effects_.log_det();
  if (effects_.count() > 0)
    for (Index i = 0; i < response_.n(); ++i) value += 0.5 * state.precision[i] * effects_.variance()[i];
  return value;
}

}  // namespace neargp
