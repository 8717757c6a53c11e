#include "variational/family_bound.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "variational/inducing_posterior.h"
#include "variational/posterior_adjoint.h"
#include "variational/sum_rows.h"

namespace neargp {

namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

// A posterior given pseudo-observations, and what the responses say about it.
struct Posterior {
  FamilyPosterior given;
  double value = -INFINITY, divergence = 0.0;
  InducingPosterior field;
  MatrixXd covariance;
  VectorXd linear_predictor, variance;  // variance: A_i'B^-1 A_i
  VectorXd slope, curvature;
  std::vector<double> d_likelihood;
};

class Search {
 public:
  Search(const LatentResponse& response, Points coords, const InducingFactor& factor, const Likelihood& likelihood,
         const FamilyBoundSettings& settings, const RunContext& context)
      : response_(response), coords_(coords), factor_(factor), likelihood_(likelihood), settings_(settings),
        context_(context), regression_(factor, coords, response.design.data(), response.coefficients,
                                       settings.chunk_rows, context, settings.effects) {}

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
        // Too long: a part of it, from the same place. A part of 2^-12 that does not gain is rounding.
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
    bound.linear_predictor = best.linear_predictor;
    bound.slope = best.slope;
    bound.variance = best.variance;
    bound.unexplained = regression_.unexplained();
    if (derivatives) {
      bound.gradient = gradient(best);
      bound.gradient.positions *= c;
      for (double& slope : bound.gradient.parameters) slope *= c;
      bound.d_likelihood = best.d_likelihood;
      for (double& slope : bound.d_likelihood) slope *= c;
    }
    bound.end = best.given;
  }

  double places() const { return double(settings_.places > 0 ? settings_.places : coords_.n); }

  // Pseudo-observations moved that share of the way to what the responses say at the posterior.
  FamilyPosterior part_of_step(const Posterior& at, double share) const {
    FamilyPosterior moved = at.given;
    const Eigen::Map<const VectorXd> offset(response_.offset.data(), coords_.n);
    const VectorXd natural = at.curvature.cwiseProduct(at.linear_predictor - offset) + at.slope;
    moved.precision += share * (at.curvature - moved.precision);
    moved.natural += share * (natural - moved.natural);
    if (settings_.kind == BoundKind::tight) {
      const double ratio = std::max(at.curvature.dot(regression_.unexplained()) / places(), 0.0);
      const double inverse = 1.0 / moved.unexplained_share;
      moved.unexplained_share = 1.0 / (inverse + share * (1.0 + ratio - inverse));
    } else {
      moved.unexplained_share = 1.0;
    }
    return moved;
  }

  BoundFailure evaluate(Posterior& at) const {
    const BoundFailure failure = regression_.solve(at.given.precision, at.given.natural, at.field);
    if (failure != BoundFailure::none) return failure;
    at.covariance = at.field.covariance();
    const VectorXd& beta = at.field.beta;
    const std::vector<double> trend = response_.trend({beta.data(), beta.data() + beta.size()});
    at.linear_predictor = Eigen::Map<const VectorXd>(trend.data(), coords_.n);
    regression_.add_moments(at.field, at.linear_predictor, at.variance);
    const double expected = expect(at);
    const double v = at.given.unexplained_share;
    at.divergence = divergence(at.field.mean, at.covariance, at.field.factor) + at.field.effects_divergence() +
                    0.5 * places() * (v - 1.0 - std::log(v));
    at.value = expected - at.divergence;
    return std::isfinite(at.value) ? BoundFailure::none : BoundFailure::posterior;
  }

  double expect(Posterior& at) const {
    const VectorXd variance =
        at.given.unexplained_share * regression_.unexplained() + at.variance + regression_.effects_variance(at.field);
    at.slope.resize(coords_.n);
    at.curvature.resize(coords_.n);
    at.d_likelihood.assign(likelihood_.parameters.size(), 0.0);
    const double sum =
        expectations(likelihood_, response_.observations(), at.linear_predictor.data(), variance.data(),
                     {nullptr, at.slope.data(), at.curvature.data(), nullptr}, at.d_likelihood.data(), context_);
    const double power = 1.0 / settings_.kl_weight;
    at.slope *= power;
    at.curvature *= power;
    for (double& slope : at.d_likelihood) slope *= power;
    return power * sum;
  }

  // At the optimum, where A E d log p = m. Of effects dF/dA has T R (W E R)' besides, from Cov(w, u).
  InducingGradient gradient(const Posterior& at) const {
    const double v = at.given.unexplained_share;
    MatrixXd means(at.field.mean.size(), 1 + at.field.effects());
    means << at.field.mean, at.field.shared_root();
    const PosteriorAdjoint posterior(factor_, means, at.covariance, v);
    const InducingGradient zero = factor_.points().zero_gradient();
    InducingGradient gradient = sum_rows(
        coords_.n, settings_.chunk_rows, regression_.inducing() * coords_.dim, context_, zero,
        [&](Index first, Index last, InducingGradient& sum) {
          const Index n = last - first;
          const VectorXd curvature = at.curvature.segment(first, n);
          MatrixXd alpha(n, means.cols());
          alpha << at.slope.segment(first, n),
              curvature.asDiagonal() * regression_.effects_features(at.field, first, n);
          posterior.add_rows(
              {coords_[first], n, coords_.dim}, curvature, [&](const MatrixXd&) -> MatrixXd { return alpha; }, sum);
        });
    add_prior_adjoint(factor_, at.field.mean, at.covariance, v * at.field.gram, gradient);
    return gradient;
  }

  const LatentResponse& response_;
  Points coords_;
  const InducingFactor& factor_;
  const Likelihood& likelihood_;
  const FamilyBoundSettings& settings_;
  const RunContext& context_;
  InducingRegression regression_;
};

}  // namespace

// Where the likelihood is not log-concave a row starts with a small precision instead of a negative one.
FamilyPosterior family_posterior_at(const std::vector<double>& linear_predictor, const LatentResponse& response,
                                    const Likelihood& likelihood, const RunContext& context) {
  const Index n = response.n();
  if (Index(linear_predictor.size()) != n) throw Error("There must be one linear predictor for each row.");
  VectorXd slope(n), curvature(n);
  expectations(likelihood, response.observations(), linear_predictor.data(), nullptr,
               {nullptr, slope.data(), curvature.data(), nullptr}, nullptr, context);
  FamilyPosterior start;
  start.precision = curvature.cwiseMax(0.05 * curvature.maxCoeff());
  const Eigen::Map<const VectorXd> eta(linear_predictor.data(), n), offset(response.offset.data(), n);
  start.natural = start.precision.cwiseProduct(eta - offset) + slope;
  return start;
}

FamilyBound family_bound(const LatentResponse& response, Points coords, Points inducing, const Covariance& covariance,
                         const Likelihood& likelihood, FamilyPosterior start, const FamilyBoundSettings& settings,
                         bool derivatives, const RunContext& context) {
  if (start.precision.size() != coords.n || start.natural.size() != coords.n || response.n() != coords.n)
    throw Error("There must be one response and one pseudo-observation for each row.");
  check_parameters(likelihood);
  const PreparedCovariance prepared = prepare(covariance, coords.dim, derivatives);
  const InducingPoints points(prepared, inducing);
  const InducingFactor factor(points, settings.jitter, derivatives);
  FamilyBound bound;
  if (factor.regular())
    bound = Search(response, coords, factor, likelihood, settings, context).run(std::move(start), derivatives);
  else
    bound.failure = BoundFailure::prior;
  if (bound.failure != BoundFailure::none)
    bound.value = -INFINITY;
  else if (derivatives)
    bound.gradient.parameters = active_part(std::move(bound.gradient.parameters), covariance);
  return bound;
}

}  // namespace neargp
