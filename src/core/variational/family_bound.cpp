#include "variational/family_bound.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "variational/posterior_adjoint.h"

namespace neargp {

namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

// A posterior given pseudo-observations, and the expectations of the responses under it.
struct Posterior {
  FamilyPosterior given;
  double value = -INFINITY, divergence = 0.0;
  InducingPosterior field;
  MatrixXd covariance;
  FamilyExpectations rows;  // of the densities p^(1/c), except for the sum
};

class Search {
 public:
  Search(const FamilyRows& rows, const double* offset, const InducingFactor& factor,
         const FamilyBoundSettings& settings, const RunContext& context)
      : rows_(rows), offset_(offset, rows.unexplained().size()), factor_(factor), settings_(settings),
        context_(context) {}

  FamilyBound run(FamilyPosterior start, bool derivatives) {
    FamilyBound bound;
    Posterior best;
    best.given = std::move(start);
    bound.failure = evaluate(best);
    // Where the likelihood is not log-concave, pseudo-observations of an earlier covariance can be too negative here.
    if (bound.failure == BoundFailure::posterior && best.given.precision.minCoeff() < 0.0) {
      best.given.precision = best.given.precision.cwiseMax(0.0);
      bound.failure = evaluate(best);
    }
    if (bound.failure != BoundFailure::none) return bound;
    climb(best, bound);
    finish(best, derivatives, bound);
    return bound;
  }

 private:
  void climb(Posterior& best, FamilyBound& bound) {
    for (double share = 1.0; bound.iterations < settings_.max_iterations && !bound.converged; ++bound.iterations) {
      if (context_.check_interrupt) context_.check_interrupt();
      Posterior tried;
      tried.given = part_of_step(best, share);
      const bool possible = evaluate(tried) == BoundFailure::none;
      const double gain = possible ? tried.value - best.value : -INFINITY;
      if (!(gain > -settings_.tolerance)) {
        // Take a smaller part of the same step, since this one was too long. Where a part of 2^-12 brings no gain, the
        // difference is rounding.
        share *= 0.5;
        bound.converged = share < 2.5e-4;
        continue;
      }
      best = std::move(tried);
      bound.converged = std::abs(gain) < settings_.tolerance && share == 1.0;
      share = std::min(1.0, 2.0 * share);
    }
  }

  void finish(const Posterior& best, bool derivatives, FamilyBound& bound) const {
    const double c = settings_.kl_weight;
    bound.value = c * best.value;
    bound.divergence = best.divergence;
    bound.beta = best.field.beta;
    bound.beta_covariance = best.field.beta_covariance;
    bound.effects = best.field.effects_root * best.field.effects_root.transpose();
    bound.weights = best.field.weights;
    bound.factor = best.field.factor;
    bound.linear_predictor = best.rows.linear_predictor;
    bound.slope = best.rows.slope;
    bound.variance = best.rows.variance;
    bound.unexplained = rows_.unexplained();
    if (derivatives) {
      bound.gradient = gradient(best);
      bound.gradient.positions *= c;
      for (double& slope : bound.gradient.parameters) slope *= c;
      bound.d_likelihood = best.rows.d_likelihood;
      for (double& slope : bound.d_likelihood) slope *= c;
    }
    bound.end = best.given;
  }

  double places() const { return double(settings_.places > 0 ? settings_.places : offset_.size()); }

  // Moves pseudo-observations by `share` of the way to those that the responses give at the posterior.
  FamilyPosterior part_of_step(const Posterior& at, double share) const {
    FamilyPosterior moved = at.given;
    const FamilyExpectations& rows = at.rows;
    const VectorXd natural = rows.curvature.cwiseProduct(rows.linear_predictor - offset_) + rows.slope;
    moved.precision += share * (rows.curvature - moved.precision);
    moved.natural += share * (natural - moved.natural);
    if (settings_.kind == BoundKind::tight) {
      const double ratio = std::max(rows.curvature.dot(rows_.unexplained()) / places(), 0.0);
      const double inverse = 1.0 / moved.unexplained_share;
      moved.unexplained_share = 1.0 / (inverse + share * (1.0 + ratio - inverse));
    } else {
      moved.unexplained_share = 1.0;
    }
    return moved;
  }

  BoundFailure evaluate(Posterior& at) const {
    const BoundFailure failure =
        solve_regression(rows_.moments(at.given.precision, at.given.natural), at.field, settings_.effects);
    if (failure != BoundFailure::none) return failure;
    at.covariance = at.field.covariance();
    const double v = at.given.unexplained_share;
    at.rows = rows_.expect(at.field, v);
    const double power = 1.0 / settings_.kl_weight;
    at.rows.slope *= power;
    at.rows.curvature *= power;
    for (double& slope : at.rows.d_likelihood) slope *= power;
    at.divergence = divergence(at.field.mean, at.covariance, at.field.factor) + at.field.effects_divergence() +
                    0.5 * places() * (v - 1.0 - std::log(v));
    at.value = power * at.rows.sum - at.divergence;
    return std::isfinite(at.value) ? BoundFailure::none : BoundFailure::posterior;
  }

  InducingGradient gradient(const Posterior& at) const {
    const double v = at.given.unexplained_share;
    InducingGradient gradient = rows_.gradient(at.field, v, at.rows.slope, at.rows.curvature);
    add_prior_adjoint(factor_, at.field.mean, at.covariance, v * at.field.gram, gradient);
    return gradient;
  }

  const FamilyRows& rows_;
  Eigen::Map<const VectorXd> offset_;
  const InducingFactor& factor_;
  const FamilyBoundSettings& settings_;
  const RunContext& context_;
};

}  // namespace

FamilyPosterior family_posterior_at(const std::vector<double>& linear_predictor, const LatentResponse& response,
                                    const Likelihood& likelihood, const RunContext& context) {
  const Index n = response.n();
  if (Index(linear_predictor.size()) != n) throw Error("There must be one linear predictor for each row.");
  VectorXd slope(n), curvature(n);
  expectations(likelihood, response.observations(), linear_predictor.data(), nullptr,
               {nullptr, slope.data(), curvature.data(), nullptr}, nullptr, context);
  FamilyPosterior start;
  make_starting_precision(slope.data(), curvature.data(), n);
  start.precision = curvature;
  const Eigen::Map<const VectorXd> eta(linear_predictor.data(), n), offset(response.offset.data(), n);
  start.natural = start.precision.cwiseProduct(eta - offset) + slope;
  return start;
}

FamilyBound family_bound(const FamilyRowsMaker& make_rows, const double* offset, const InducingPoints& points,
                         const Covariance& covariance, FamilyPosterior start, const FamilyBoundSettings& settings,
                         bool derivatives, const RunContext& context) {
  const InducingFactor factor(points, settings.jitter, derivatives);
  FamilyBound bound;
  if (factor.regular()) {
    const std::unique_ptr<const FamilyRows> rows = make_rows(factor);
    bound = Search(*rows, offset, factor, settings, context).run(std::move(start), derivatives);
  } else {
    bound.failure = BoundFailure::prior;
  }
  if (bound.failure != BoundFailure::none)
    bound.value = -INFINITY;
  else if (derivatives)
    bound.gradient.parameters = active_part(std::move(bound.gradient.parameters), covariance);
  return bound;
}

FamilyBound family_bound(const LatentResponse& response, Points coords, Points inducing, const Covariance& covariance,
                         const Likelihood& likelihood, FamilyPosterior start, const FamilyBoundSettings& settings,
                         bool derivatives, const RunContext& context) {
  if (start.precision.size() != coords.n || start.natural.size() != coords.n || response.n() != coords.n)
    throw Error("There must be one response and one pseudo-observation for each row.");
  check_parameters(likelihood);
  const PreparedCovariance prepared = prepare(covariance, coords.dim, derivatives);
  const InducingPoints points(prepared, inducing);
  const auto make_rows = [&](const InducingFactor& factor) {
    return std::make_unique<FamilyRowsHere>(response, coords, factor, likelihood, settings.effects, settings.chunk_rows,
                                            context);
  };
  return family_bound(make_rows, response.offset.data(), points, covariance, std::move(start), settings, derivatives,
                      context);
}

}  // namespace neargp
