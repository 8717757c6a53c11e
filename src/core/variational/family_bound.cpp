#include "variational/family_bound.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "linalg/products.h"
#include "parallel/parallel_for.h"
#include "variational/posterior_adjoint.h"
#include "variational/row_features.h"
#include "variational/sum_rows.h"

namespace neargp {

namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

struct Moments {
  MatrixXd gram;     // A W A', lower triangle
  MatrixXd cross;    // A [h, W X]
  MatrixXd columns;  // X'[h, W X]

  void add(const Moments& other) {
    gram += other.gram;
    cross += other.cross;
    columns += other.columns;
  }
};

// A posterior given pseudo-observations, and what the responses say about it.
struct Posterior {
  FamilyPosterior given;
  double value = -INFINITY;
  MatrixXd gram, factor, covariance, weights, beta_covariance;
  VectorXd mean, beta, linear_predictor, variance;  // variance: A_i'S A_i
  VectorXd slope, curvature;
  std::vector<double> d_likelihood;
};

class Search {
 public:
  Search(const LatentResponse& response, Points coords, const InducingFactor& factor, const Likelihood& likelihood,
         const FamilyBoundSettings& settings, const RunContext& context)
      : response_(response), coords_(coords), factor_(factor), likelihood_(likelihood), settings_(settings),
        context_(context), m_(factor.points().size()),
        features_(factor, coords, settings.chunk_rows, context), unexplained_(coords.n) {
    over_chunks([&](Index first, const MatrixXd&, const VectorXd& unexplained) {
      unexplained_.segment(first, unexplained.size()) = unexplained.cwiseMax(0.0);
    });
  }

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
    bound.value = best.value;
    bound.beta = best.beta;
    bound.beta_covariance = best.beta_covariance;
    bound.weights = best.weights;
    bound.factor = best.factor;
    bound.linear_predictor = best.linear_predictor;
    bound.slope = best.slope;
    bound.variance = best.variance;
    bound.unexplained = unexplained_;
    if (derivatives) {
      bound.gradient = gradient(best);
      bound.d_likelihood = best.d_likelihood;
    }
    bound.end = best.given;
  }

  template <class Body>
  void over_chunks(const Body& body) const {
    const Index chunks = (coords_.n + settings_.chunk_rows - 1) / settings_.chunk_rows;
    parallel_for(context_, chunks, [&](Index chunk) {
      const Index first = chunk * settings_.chunk_rows;
      features_.with(first, [&](const MatrixXd& features, const VectorXd& unexplained) {
        body(first, features, unexplained);
      });
    });
  }

  double places() const { return double(settings_.places > 0 ? settings_.places : coords_.n); }

  MatrixXd design(Index first, Index n) const {
    const int p = response_.coefficients;
    return Eigen::Map<const RowMajor>(response_.design.data() + first * p, n, p);
  }

  // Pseudo-observations moved that share of the way to what the responses say at the posterior.
  FamilyPosterior part_of_step(const Posterior& at, double share) const {
    FamilyPosterior moved = at.given;
    const Eigen::Map<const VectorXd> offset(response_.offset.data(), coords_.n);
    const VectorXd natural = at.curvature.cwiseProduct(at.linear_predictor - offset) + at.slope;
    moved.precision += share * (at.curvature - moved.precision);
    moved.natural += share * (natural - moved.natural);
    if (settings_.kind == BoundKind::tight) {
      const double ratio = std::max(at.curvature.dot(unexplained_) / places(), 0.0);
      const double inverse = 1.0 / moved.unexplained_share;
      moved.unexplained_share = 1.0 / (inverse + share * (1.0 + ratio - inverse));
    } else {
      moved.unexplained_share = 1.0;
    }
    return moved;
  }

  BoundFailure evaluate(Posterior& at) const {
    Moments moments = sum_moments(at.given);
    at.factor = moments.gram;
    at.factor.diagonal().array() += 1.0;
    if (!cholesky(at.factor)) return BoundFailure::posterior;
    if (!solve(moments, at)) return BoundFailure::trend;
    at.gram = std::move(moments.gram);
    at.covariance = MatrixXd::Identity(m_, m_);
    lower_solve(at.factor, at.covariance);
    lower_transposed_solve(at.factor, at.covariance);
    find_moments(at);
    const double expected = expect(at);
    const double log_det = 2.0 * at.factor.diagonal().array().log().sum();
    const double divergence = 0.5 * (at.covariance.trace() + at.mean.squaredNorm() - double(m_) + log_det);
    const double v = at.given.unexplained_share;
    at.value = expected - divergence - 0.5 * places() * (v - 1.0 - std::log(v));
    return std::isfinite(at.value) ? BoundFailure::none : BoundFailure::posterior;
  }

  Moments sum_moments(const FamilyPosterior& given) const {
    const int p = response_.coefficients;
    const Moments zero{MatrixXd::Zero(m_, m_), MatrixXd::Zero(m_, p + 1), MatrixXd::Zero(p, p + 1)};
    return sum_rows(coords_.n, settings_.chunk_rows, m_ * m_, context_, zero, [&](Index first, Index last, Moments& sum) {
      const VectorXd precision = given.precision.segment(first, last - first);
      const MatrixXd x = design(first, last - first);
      MatrixXd columns(last - first, p + 1);
      columns << given.natural.segment(first, last - first), precision.asDiagonal() * x;
      features_.with(first, [&](const MatrixXd& features, const VectorXd&) {
        sum.cross += features * columns;
        weighted_rank_update(features, precision, sum.gram);
      });
      sum.columns += x.transpose() * columns;
    });
  }

  bool solve(const Moments& moments, Posterior& at) const {
    const Index p = response_.coefficients;
    MatrixXd whitened = moments.cross;
    lower_solve(at.factor, whitened);
    at.beta = VectorXd::Zero(p);
    if (p > 0) {
      const MatrixXd columns = moments.columns - whitened.rightCols(p).transpose() * whitened;
      MatrixXd lower = columns.rightCols(p);
      if (!cholesky(lower)) return false;
      MatrixXd solved(p, p + 1);
      solved << columns.col(0), MatrixXd::Identity(p, p);
      lower_solve(lower, solved);
      lower_transposed_solve(lower, solved);
      at.beta = solved.col(0);
      at.beta_covariance = solved.rightCols(p);
    }
    lower_transposed_solve(at.factor, whitened);
    at.weights = std::move(whitened);
    at.mean = at.weights.col(0) - at.weights.rightCols(p) * at.beta;
    return true;
  }

  // Mean of each linear predictor, and the variance of it that the posterior of the inducing points has.
  void find_moments(Posterior& at) const {
    const std::vector<double> trend = response_.trend({at.beta.data(), at.beta.data() + at.beta.size()});
    at.linear_predictor = Eigen::Map<const VectorXd>(trend.data(), coords_.n);
    at.variance.resize(coords_.n);
    over_chunks([&](Index first, const MatrixXd& features, const VectorXd&) {
      MatrixXd whitened = features;
      lower_solve(at.factor, whitened);
      at.variance.segment(first, features.cols()) = whitened.colwise().squaredNorm();
      at.linear_predictor.segment(first, features.cols()) += features.transpose() * at.mean;
    });
  }

  double expect(Posterior& at) const {
    const VectorXd variance = at.given.unexplained_share * unexplained_ + at.variance;
    at.slope.resize(coords_.n);
    at.curvature.resize(coords_.n);
    at.d_likelihood.assign(likelihood_.parameters.size(), 0.0);
    return expectations(likelihood_, response_.observations(), at.linear_predictor.data(), variance.data(),
                        {nullptr, at.slope.data(), at.curvature.data(), nullptr}, at.d_likelihood.data(), context_);
  }

  // At the optimum, where A E d log p = m.
  InducingGradient gradient(const Posterior& at) const {
    const double v = at.given.unexplained_share;
    const PosteriorAdjoint posterior(factor_, at.mean, at.covariance, v);
    const InducingGradient zero = factor_.points().zero_gradient();
    InducingGradient gradient = sum_rows(
        coords_.n, settings_.chunk_rows, m_ * coords_.dim, context_, zero,
        [&](Index first, Index last, InducingGradient& sum) {
          const VectorXd slope = at.slope.segment(first, last - first);
          posterior.add_rows({coords_[first], last - first, coords_.dim}, at.curvature.segment(first, last - first),
                             [&](const MatrixXd&) -> MatrixXd { return slope; }, sum);
        });
    add_prior_adjoint(factor_, at.mean, at.covariance, v * at.gram, gradient);
    return gradient;
  }

  const LatentResponse& response_;
  Points coords_;
  const InducingFactor& factor_;
  const Likelihood& likelihood_;
  const FamilyBoundSettings& settings_;
  const RunContext& context_;
  Index m_;
  RowFeatures features_;
  VectorXd unexplained_;
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
  if (factor.regular()) bound = Search(response, coords, factor, likelihood, settings, context).run(std::move(start), derivatives);
  else bound.failure = BoundFailure::prior;
  if (bound.failure != BoundFailure::none) bound.value = -INFINITY;
  else if (derivatives) bound.gradient.parameters = active_part(std::move(bound.gradient.parameters), covariance);
  return bound;
}

}  // namespace neargp
