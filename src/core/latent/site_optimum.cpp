#include "latent/site_optimum.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "latent/sparse_posterior.h"

namespace neargp {

namespace {

using Vector = std::vector<double>;

constexpr int rounds = 2;              // Newton steps; others follow at the next marginals
constexpr double longest_step = 0.6;   // in standard deviations
constexpr double least_cavity = 1e-3;  // as a share of the marginal's precision, below which it is rounding

struct Terms {
  Vector slope, curvature, third, fourth;

  explicit Terms(std::size_t n) : slope(n), curvature(n), third(n), fourth(n) {}

  void find(const Likelihoods& likelihood, const Observations& observations, const Vector& mean, const Vector& variance,
            const RunContext& context) {
    likelihood.expectations(observations, mean.data(), variance.data(),
                            {nullptr, slope.data(), curvature.data(), third.data(), fourth.data()}, nullptr, context);
  }
};

struct Step {
  double mean, sd;
};

// Newton's step for gradient g and second derivatives h, or one in each variable alone where h is not negative.
Step newton_step(double g_mean, double g_sd, double h_mean, double h_cross, double h_sd, double sd) {
  const double determinant = h_mean * h_sd - h_cross * h_cross;
  Step step{g_mean / -std::min(h_mean, -1e-12 / (sd * sd)), g_sd / -std::min(h_sd, -1.0 / (sd * sd))};
  if (h_mean < 0.0 && determinant > 0.0)
    step = {-(h_sd * g_mean - h_cross * g_sd) / determinant, -(h_mean * g_sd - h_cross * g_mean) / determinant};
  const double length = std::max(std::abs(step.mean), std::abs(step.sd)) / (longest_step * sd);
  if (!(length > 1.0)) return step;
  return {step.mean / length, step.sd / length};
}

}  // namespace

SiteOptimum site_optimum(const Likelihoods& likelihood, const Observations& observations, const SiteMarginals& at,
                         const RunContext& context) {
  const std::size_t n = at.precision.size();
  Vector mean = at.linear_predictor, first_sd(n), cavity(n), pull(n), variance = at.variance;
  for (std::size_t i = 0; i < n; ++i) {
    const double of_nodes = std::max(at.variance[i] - at.given_nodes[i], 1e-300);
    first_sd[i] = std::sqrt(of_nodes);
    cavity[i] = std::max(1.0 / of_nodes - at.precision[i], least_cavity / of_nodes);
    pull[i] = at.natural[i] - at.precision[i] * at.linear_predictor[i];
  }
  Vector sd = first_sd;
  const auto further_precision = [&](std::size_t i) {
    return 1.0 / (sd[i] * sd[i]) - 1.0 / (first_sd[i] * first_sd[i]);
  };
  const auto slope_of_others = [&](std::size_t i) { return pull[i] + cavity[i] * (mean[i] - at.linear_predictor[i]); };
  Terms terms(n);
  terms.find(likelihood, observations, mean, variance, context);
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t i = 0; i < n; ++i) {
      const double precision = cavity[i] + terms.curvature[i];
      const Step step = newton_step(terms.slope[i] - slope_of_others(i),
                                    (further_precision(i) + at.precision[i] - terms.curvature[i]) * sd[i], -precision,
                                    terms.third[i] * sd[i],
                                    terms.fourth[i] * sd[i] * sd[i] - precision - 1.0 / (sd[i] * sd[i]), sd[i]);
      mean[i] += step.mean;
      sd[i] += step.sd;
      variance[i] = sd[i] * sd[i] + at.given_nodes[i];
    }
    if (round + 1 < rounds) terms.find(likelihood, observations, mean, variance, context);
  }
  // The pseudo-observations with these marginals, even if Newton's method is not at its end.
  SiteOptimum optimum{at.precision, Vector(n)};
  for (std::size_t i = 0; i < n; ++i) {
    optimum.precision[i] += further_precision(i);
    optimum.natural[i] = optimum.precision[i] * mean[i] + slope_of_others(i);
  }
  return optimum;
}

// The last evaluation may have been of a rejected step.
PosteriorState SparsePosterior::propose_site_optimum(const RunContext& context) {
  factorize_or_fall_back(context);
  SiteMarginals at{state_.linear_predictor, total_variance(), std::vector<double>(response_.n(), 0.0), state_.precision,
                   state_.natural};
  if (model_.interpolates()) at.given_nodes = model_.interpolation().variance();
  SiteOptimum optimum = site_optimum(likelihood_, response_.observations(), at, context);
  return {{}, {}, std::move(optimum.precision), std::move(optimum.natural), state_.linear_predictor};
}

}  // namespace neargp
