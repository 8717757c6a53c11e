// The steps of a sparse posterior towards the optimum of its pseudo-observations.
#include <algorithm>
#include <cmath>
#include <limits>

#include "latent/site_optimum.h"
#include "latent/sparse_posterior.h"

namespace neargp {

namespace {

constexpr double least_promise = 1e-3;  // that is not rounding

}  // namespace

// The optimum of the objective of the steps, from the present state. Errors of an incomplete factor can keep the steps
// from it, for random effects and a smooth field of long range. The exact factor then takes over.
PosteriorOutcome SparsePosterior::find_mode(const PosteriorSettings& settings, const RunContext& context) {
  PosteriorOutcome outcome = climb(settings, context);
  if (outcome.converged || effects_.count() == 0 || factor_.is_exact() || !factor_.can_be_exact()) return outcome;
  factor_.become_exact(context);
  const int before = outcome.iterations;
  outcome = climb(settings, context);
  outcome.iterations += before;
  return outcome;
}

PosteriorOutcome SparsePosterior::climb(const PosteriorSettings& settings, const RunContext& context) {
  PosteriorOutcome outcome;
  // Those of an earlier mode, see propose_pseudo_observations().
  if (kind_ == PosteriorKind::laplace) drop_negative_pseudo_observations();
  if (likelihood_.all_are(ResponseFamily::gaussian)) find_gaussian_pseudo_observations(context);
  converge(context);
  outcome.value = evaluate(state_, context);
  PosteriorState proposal = propose_pseudo_observations();
  double share = 1.0, promised = 0.0, checkpoint_value = outcome.value;
  int taken = 0;
  bool by_site = false;
  while (outcome.iterations < settings.max_iterations && !outcome.converged) {
    if (share == 1.0) {
      const bool settled = is_settled(by_site ? propose_pseudo_observations() : proposal, settings.tolerance);
      if (settled && model_.loadings()) {
        proposal = with_present_precision();  // the last step moves the mean alone, which costs no factor
      } else if (settled) {
        outcome.converged = promise_for_mean(context) < settings.tolerance;
        if (outcome.converged) break;
      }
    }
    ++outcome.iterations;
    if (context.check_interrupt) context.check_interrupt();
    Step step = part_of_step(proposal, share, context);
    const double gain = step.value - outcome.value;
    if (share == 1.0) promised = step.predicted_gain;
    if (!(gain > -settings.tolerance)) {
      if (steps_may_mislead()) {
        refined_steps_ = true;  // the step may have been wrong, and not long
        continue;
      }
      // A step that is too long is cut. If a part of 2^-12 does not gain, it is rounding, or steps swing about the
      // optimum. With random effects it is neither if the whole step promised more.
      if (!by_site && kind_ != PosteriorKind::laplace && outcome.iterations >= patience_with_steps) {
        by_site = true;
        proposal = propose_site_optimum(context);
        outcome.value = evaluate(state_, context);
        share = 1.0;
        continue;
      }
      share *= 0.5;
      if (share >= 2.5e-4) continue;
      outcome.converged = effects_.count() == 0 || !(promised > least_promise);
      break;
    }
    state_ = std::move(step.state);
    outcome.value = step.value;
    outcome.converged = std::max(std::abs(gain), step.predicted_gain) < settings.tolerance && share == 1.0;
    // Ten steps that swing about the optimum gain nothing.
    if (++taken % 10 == 0) {
      outcome.converged = outcome.converged || outcome.value - checkpoint_value < settings.tolerance;
      checkpoint_value = outcome.value;
    }
    proposal = by_site ? propose_site_optimum(context) : propose_pseudo_observations();
    share = std::min(1.0, 2.0 * share);
  }
  if (share < 1.0) {  // the last evaluation may have been of a rejected step
    factorize_or_fall_back(context);
    outcome.value = evaluate(state_, context);
  }
  return outcome;
}

// Moves the pseudo-observations by a share of the way to the proposed ones, and the mean to theirs.
SparsePosterior::Step SparsePosterior::part_of_step(const PosteriorState& proposal, double share,
                                                    const RunContext& context) {
  Step step{state_, -std::numeric_limits<double>::infinity(), 0.0};
  for (std::size_t i = 0; i < proposal.precision.size(); ++i) {
    step.state.precision[i] += share * (proposal.precision[i] - step.state.precision[i]);
    step.state.natural[i] += share * (proposal.natural[i] - step.state.natural[i]);
  }
  if (!factorize(step.state.precision, context)) return step;
  step.predicted_gain = move_mean(step.state, context);
  step.value = evaluate(step.state, context);
  return step;
}

// Pseudo-observations of a Gaussian response are the data, wherever the field is.
void SparsePosterior::find_gaussian_pseudo_observations(const RunContext& context) {
  likelihood_.expectations(response_.observations(), state_.linear_predictor.data(), nullptr,
                           {nullptr, slope_.data(), curvature_.data(), nullptr}, nullptr, context);
  PosteriorState proposal = propose_pseudo_observations();
  state_.precision = std::move(proposal.precision);
  state_.natural = std::move(proposal.natural);
}

// Returns whether a step to the precisions of the proposed pseudo-observations would gain less than the tolerance. Let
// dW be their change, and S = C Z C'. Then dL/dW_i = 1/2 sum_k dW_k S_ik^2, and L rises by at most dW'(S o S) dW / 2.
// The form is taken on the pattern, beyond which Z is small. With a low-rank part Z is not small there, and this
// returns false. This check costs a tenth of the factor and inverse that the step takes.
bool SparsePosterior::is_settled(const PosteriorState& proposal, double tolerance) const {
  if (kind_ == PosteriorKind::laplace || (model_.interpolates() && !model_.loadings()) || model_.low_rank() ||
      effects_.count() > 0)
    return false;
  std::vector<double> change(proposal.precision.size());
  for (std::size_t i = 0; i < change.size(); ++i) change[i] = proposal.precision[i] - state_.precision[i];
  return factor_.gain_of_change(change) < tolerance;
}

// The gain that a Newton step of the mean promises in addition.
double SparsePosterior::promise_for_mean(const RunContext& context) {
  PosteriorState moved = with_present_precision();
  return move_mean(moved, context);
}

PosteriorState SparsePosterior::with_present_precision() const {
  PosteriorState state = state_;
  state.find_natural_means(slope_);
  return state;
}

// Laplace's mode does not depend on the precisions of the steps that lead to it.
PosteriorState SparsePosterior::propose_pseudo_observations() const {
  PosteriorState proposal{{}, {}, curvature_, {}, state_.linear_predictor};
  if (kind_ == PosteriorKind::laplace)
    for (double& w : proposal.precision) w = std::max(w, 0.0);
  proposal.find_natural_means(slope_);
  return proposal;
}

}  // namespace neargp
