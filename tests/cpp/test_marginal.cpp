// Densities over a normal linear predictor against sums over a fine grid, their derivatives against differences.
#include <doctest/doctest.h>

#include <cmath>

#include "base/error.h"
#include "core_fixtures.h"
#include "extended.h"
#include "likelihood_fixtures.h"
#include "likelihoods/marginal.h"

using namespace neargp;
using namespace fixtures;

namespace {

// Uses the trapezoidal rule, as far as any of the responses draws eta. The rule takes more nodes than it needs: four
// times as many change the result by 2e-16.
double reference_marginal(const Likelihood& likelihood, const Response& response, double mean, double variance) {
  const double sd = std::sqrt(variance), reach = 14.0 * sd + 8.0;
  const int half = 2000;
  long double top = -INFINITY, sum = 0.0L;
  std::vector<long double> term;
  for (int q = -half; q <= half; ++q) {
    const double z = reach * q / half;
    const long double value = reference_log_density(likelihood, response, mean + z) - 0.5L * z * z / variance;
    term.push_back(value);
    if (std::isfinite(value)) top = std::max(top, value);
  }
  for (const long double value : term)
    if (std::isfinite(value)) sum += std::exp(value - top);
  return double(top + std::log(sum * reach / half) - 0.5L * std::log(2.0L * std::acos(-1.0L) * variance));
}

MarginalDensity marginal_of(const Likelihood& likelihood, const Grid& grid, const std::vector<double>& mean,
                            const std::vector<double>& variance, int threads = 1) {
  return marginal_density(likelihood, {grid.observations(), mean.data(), variance.data(), nullptr}, true,
                          with_threads(threads));
}

double sum_of(const std::vector<double>& x) {
  double sum = 0.0;
  for (const double value : x) sum += value;
  return sum;
}

// Quadrature does not follow the kink of the asymmetric Laplace density. Methods that take marginal densities refuse
// this family.
template <class Action>
void for_each_grid(const Action& action) {
  for (const FamilyCase& family : response_families()) {
    if (family.likelihood.family == ResponseFamily::asymmetric_laplace) continue;
    CAPTURE(family.name);
    action(family, Grid(family, {-3.0, -0.7, 0.4, 2.5}));
  }
}

}  // namespace

TEST_CASE("marginal densities agree with a fine sum, whatever the variance" * extended) {
  for_each_grid([](const FamilyCase& family, const Grid& grid) {
    for (const double variance : {1e-3, 0.2, 1.0, 6.0}) {
      CAPTURE(variance);
      const MarginalDensity density =
          marginal_of(family.likelihood, grid, grid.mean, std::vector<double>(grid.mean.size(), variance));
      for (std::size_t i = 0; i < grid.mean.size(); ++i) {
        const double expected = reference_marginal(family.likelihood, grid.responses[i], grid.mean[i], variance);
        CHECK(density.value[i] == doctest::Approx(expected).epsilon(1e-8));
      }
    }
  });
}

TEST_CASE("derivatives of marginal densities are differences of them") {
  for_each_grid([](const FamilyCase& family, const Grid& grid) {
    const std::size_t n = grid.mean.size();
    const std::vector<double> variance(n, 0.6);
    const MarginalDensity density = marginal_of(family.likelihood, grid, grid.mean, variance);
    const double h = 1e-5;
    std::vector<double> up = grid.mean, down = grid.mean;
    for (std::size_t i = 0; i < n; ++i) up[i] += h, down[i] -= h;
    const MarginalDensity right = marginal_of(family.likelihood, grid, up, variance);
    const MarginalDensity left = marginal_of(family.likelihood, grid, down, variance);
    const MarginalDensity wide = marginal_of(family.likelihood, grid, grid.mean, std::vector<double>(n, 0.6 + h));
    const MarginalDensity narrow = marginal_of(family.likelihood, grid, grid.mean, std::vector<double>(n, 0.6 - h));
    for (std::size_t i = 0; i < n; ++i) {
      CHECK(density.d_mean[i] == doctest::Approx((right.value[i] - left.value[i]) / (2 * h)).epsilon(1e-6));
      CHECK(density.d_variance[i] == doctest::Approx((wide.value[i] - narrow.value[i]) / (2 * h)).epsilon(1e-5));
    }
    for (std::size_t p = 0; p < family.likelihood.parameters.size(); ++p) {
      Likelihood more = family.likelihood, less = family.likelihood;
      more.parameters[p] *= std::exp(h), less.parameters[p] *= std::exp(-h);
      const double slope = (sum_of(marginal_of(more, grid, grid.mean, variance).value) -
                            sum_of(marginal_of(less, grid, grid.mean, variance).value)) /
                           (2 * h);
      CHECK(density.d_log_parameters[p] == doctest::Approx(slope).epsilon(1e-6));
    }
  });
}

TEST_CASE("without variance the density is that at a point, and threads do not matter") {
  for_each_grid([](const FamilyCase& family, const Grid& grid) {
    const std::vector<double> none(grid.mean.size(), 0.0), some(grid.mean.size(), 0.4);
    const MarginalDensity point = marginal_of(family.likelihood, grid, grid.mean, none);
    for (std::size_t i = 0; i < grid.mean.size(); ++i)
      CHECK(point.value[i] ==
            doctest::Approx(double(reference_log_density(family.likelihood, grid.responses[i], grid.mean[i])))
                .epsilon(1e-7));
    const MarginalDensity one = marginal_of(family.likelihood, grid, grid.mean, some, 1);
    const MarginalDensity four = marginal_of(family.likelihood, grid, grid.mean, some, 4);
    CHECK(one.value == four.value);
    CHECK(one.d_log_parameters == four.d_log_parameters);
  });
}

TEST_CASE("responses far from their linear predictor have a density") {
  const double y = 1e6, mean = -20.0, variance = 0.3;
  const Likelihood poisson{ResponseFamily::poisson, {}};
  const MarginalDensity density =
      marginal_density(poisson, {{1, &y, nullptr, nullptr}, &mean, &variance, nullptr}, false, with_threads(1));
  CHECK(std::isfinite(density.value[0]));
  CHECK(density.d_mean[0] > 0.0);
}

TEST_CASE("linear predictors so uncertain that terms overflow far away have densities and derivatives") {
  const double y = 3.0, mean = 0.0, variance = 4e4;
  const MarginalDensity density = marginal_density(
      {ResponseFamily::gamma, {2.0}}, {{1, &y, nullptr, nullptr}, &mean, &variance, nullptr}, true, with_threads(1));
  // a normal density this wide is constant over the likelihood: log p integrates to 1 / y over eta = log y
  CHECK(density.value[0] ==
        doctest::Approx(-std::log(y) - 0.5 * std::log(8.0 * std::atan(1.0) * variance)).epsilon(1e-4));
  for (const double slope : {density.d_mean[0], density.d_variance[0], density.d_log_parameters[0]})
    CHECK(std::isfinite(slope));
}

TEST_CASE("a density that cannot be integrated is not a number, and leaves the others be") {
  const double y[] = {3.0, 1e-300}, mean[] = {0.0, 0.0}, variance[] = {0.5, 100.0};
  const MarginalDensity density = marginal_density(
      {ResponseFamily::gamma, {100.0}}, {{2, y, nullptr, nullptr}, mean, variance, nullptr}, false, with_threads(1));
  CHECK(std::isfinite(density.value[0]));
  CHECK(std::isnan(density.value[1]));
}

// P(y = 0) is about 1/2 there: the half of the normal density in which exp(eta) is nothing.
TEST_CASE("a linear predictor too wide for the nodes has no density, and one that is just not has") {
  const double y[] = {0.0, 0.0, 3.0, 0.0}, mean[] = {0.0, 0.0, 0.0, 0.0}, variance[] = {1e12, 1e200, 0.5, 1e5};
  for (const Likelihood& likelihood :
       {Likelihood{ResponseFamily::poisson, {}}, Likelihood{ResponseFamily::negative_binomial, {2.0}}}) {
    const MarginalDensity density =
        marginal_density(likelihood, {{4, y, nullptr, nullptr}, mean, variance, nullptr}, true, with_threads(1));
    CHECK(std::isnan(density.value[0]));
    CHECK(std::isnan(density.value[1]));
    CHECK(std::isfinite(density.value[2]));
    CHECK(density.value[3] == doctest::Approx(std::log(0.5)).epsilon(0.01));
  }
}

TEST_CASE("censored responses have the same density in any unit") {
  const double y[] = {-INFINITY, 0.3, 1.2, -1.0}, upper[] = {0.5, INFINITY, 1.2, 2.0}, mean[] = {0.4, -2.0, 0.9, 1.5},
               variance[] = {0.3, 2.0, 400.0, 1e-3}, weights[] = {1.0, 2.0, 0.5, 1.0};
  const auto in_unit = [&](double unit) {
    std::vector<double> of[4];
    for (int i = 0; i < 4; ++i) {
      of[0].push_back(unit * y[i]);
      of[1].push_back(unit * upper[i]);
      of[2].push_back(unit * mean[i]);
      of[3].push_back(unit * unit * variance[i]);
    }
    return marginal_density({ResponseFamily::censored_gaussian, {0.7 * unit}},
                            {{4, of[0].data(), of[1].data(), weights}, of[2].data(), of[3].data(), nullptr}, true,
                            with_threads(1));
  };
  const MarginalDensity density = in_unit(1.0);
  for (const double unit : {1e-9, 64.0, 1e9}) {
    CAPTURE(unit);
    const MarginalDensity other = in_unit(unit);
    for (int i = 0; i < 4; ++i) {
      CHECK(other.value[i] + (i == 2 ? std::log(unit) : 0.0) == doctest::Approx(density.value[i]).epsilon(1e-10));
      CHECK(other.d_mean[i] * unit == doctest::Approx(density.d_mean[i]).epsilon(1e-10));
      CHECK(other.d_variance[i] * unit * unit == doctest::Approx(density.d_variance[i]).epsilon(1e-10));
    }
    CHECK(other.d_log_parameters[0] == doctest::Approx(density.d_log_parameters[0]).epsilon(1e-10));
  }
}

TEST_CASE("the gamma variable of Student's t gives the posterior mean") {
  const Likelihood student{ResponseFamily::student_t, {0.5, 3.0}};
  const double y[] = {0.4, -3.0, 1.0}, mean[] = {0.0, 0.0, 0.0}, variance[] = {0.3, 2.0, 0.0},
               weights[] = {1.0, 2.0, 1.0};
  const MarginalInput input{{3, y, nullptr, weights}, mean, variance, nullptr};
  const std::vector<double> omega = matched_omega(student, input);
  const MarginalDensity density = marginal_density(student, input, false, with_threads(1));
  for (int i = 0; i < 3; ++i)
    CHECK(density.d_mean[i] == doctest::Approx(y[i] / (variance[i] + 0.25 / (weights[i] * omega[i]))).epsilon(1e-9));
}

TEST_CASE("linear predictors without moments are refused") {
  const double y = 1.0, mean = 0.0, negative = -1.0, infinite = INFINITY, one = 1.0;
  const Likelihood poisson{ResponseFamily::poisson, {}};
  const Observations data{1, &y, nullptr, nullptr};
  CHECK_THROWS_AS(marginal_density(poisson, {data, &mean, &negative, nullptr}, false, with_threads(1)), Error);
  CHECK_THROWS_AS(marginal_density(poisson, {data, &infinite, &one, nullptr}, false, with_threads(1)), Error);
}
