#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <numeric>
#include <string>
#include <utility>

#include "base/error.h"
#include "core_fixtures.h"
#include "extended.h"
#include "likelihood_fixtures.h"

using namespace neargp;
using namespace fixtures;

namespace {

// Largest difference relative to 1 + |expected|.
double worst(const std::vector<double>& values, const std::vector<double>& expected) {
  double result = 0.0;
  for (std::size_t i = 0; i < values.size(); ++i)
    result = std::max(result, std::abs(values[i] - expected[i]) / (1.0 + std::abs(expected[i])));
  return result;
}

std::vector<double> shifted(std::vector<double> x, double by) {
  for (double& value : x) value += by;
  return x;
}

std::vector<double> quotient(const std::vector<double>& upper, const std::vector<double>& lower, double by) {
  std::vector<double> result;
  for (std::size_t i = 0; i < upper.size(); ++i) result.push_back((upper[i] - lower[i]) / by);
  return result;
}

std::vector<double> negative(std::vector<double> x) {
  for (double& value : x) value = -value;
  return x;
}

// At the moderate means, once for all instruction sets: fine sums take a while.
const std::vector<double>& reference_values(const FamilyCase& family, const Grid& grid, double variance) {
  static std::map<std::pair<std::string, double>, std::vector<double>> known;
  std::vector<double>& expected = known[{family.name, variance}];
  for (std::size_t i = expected.size(); i < grid.mean.size(); ++i)
    expected.push_back(reference_expectation(family.likelihood, grid.responses[i], grid.mean[i], variance));
  return expected;
}

bool all_finite(const std::vector<double>& values) {
  for (const double value : values)
    if (!std::isfinite(value)) return false;
  return true;
}

}  // namespace

TEST_CASE("at points the value is the log density, and the others are its derivatives") {
  with_each_instruction_set([] {
    for_each_family([](const FamilyCase& family) {
      const Grid grid(family, moderate_means);
      const auto at = [&](double shift) {
        return expectations_of(family.likelihood, grid.observations(), shifted(grid.mean, shift), {});
      };
      const double h = 1e-4;
      const Expectations here = at(0.0), up = at(h), down = at(-h);
      std::vector<double> expected;
      for (std::size_t i = 0; i < grid.mean.size(); ++i)
        expected.push_back(double(reference_log_density(family.likelihood, grid.responses[i], grid.mean[i])));
      CHECK(worst(here.value, expected) < 1e-12);  // small differences of log Gamma functions of up to 1400
      CHECK(worst(here.slope, quotient(up.value, down.value, 2.0 * h)) < 1e-7);
      CHECK(worst(negative(here.curvature), quotient(up.slope, down.slope, 2.0 * h)) < 1e-7);
      CHECK(worst(negative(here.third), quotient(up.curvature, down.curvature, 2.0 * h)) < 1e-7);
      CHECK(log_density(family.likelihood, grid.observations(), grid.mean.data(), with_threads(1)) == here.value);
    });
  });
}

TEST_CASE("expectations agree with a fine sum, from tiny variances to those of no information" * extended) {
  for_each_family([](const FamilyCase& family) {
    const Grid grid(family, moderate_means);
    for (const double variance : {0.0, 1e-12, 1e-3, 0.3, 1.0, 2.0, 7.0, 30.0, 400.0}) {
      CAPTURE(variance);
      const std::vector<double> variances(grid.mean.size(), variance);
      const std::vector<double>& expected = reference_values(family, grid, variance);
      with_each_instruction_set([&] {
        const Expectations result = expectations_of(family.likelihood, grid.observations(), grid.mean, variances);
        CHECK(worst(result.value, expected) < (variance > 30.0 ? 1e-5 : 2e-7));
      });
    }
  });
}

TEST_CASE("slope and curvature are derivatives of the value in mean and variance") {
  with_each_instruction_set([] {
    for_each_family([](const FamilyCase& family) {
      const Grid grid(family, moderate_means);
      // not at a ratio where the quadrature changes its rule
      for (const double variance : {0.01, 0.2, 0.9, 3.0, 20.0}) {
        CAPTURE(variance);
        const auto at = [&](double shift, double factor) {
          return expectations_of(family.likelihood, grid.observations(), shifted(grid.mean, shift),
                                 std::vector<double>(grid.mean.size(), variance * factor));
        };
        const Expectations here = at(0.0, 1.0);
        CHECK(worst(here.slope, quotient(at(1e-4, 1.0).value, at(-1e-4, 1.0).value, 2e-4)) < 1e-6);
        const double step = 1e-3 * variance;
        CHECK(worst(negative(here.curvature), quotient(at(0.0, 1.001).value, at(0.0, 0.999).value, step)) < 2e-5);
      }
    });
  });
}

TEST_CASE("derivatives in the logarithms of the parameters are those of the sum") {
  with_each_instruction_set([] {
    for_each_family([](const FamilyCase& family) {
      const Grid grid(family, moderate_means);
      for (const std::vector<double>& variances : {std::vector<double>(grid.mean.size(), 0.6), std::vector<double>()}) {
        const Expectations here = expectations_of(family.likelihood, grid.observations(), grid.mean, variances);
        for (std::size_t p = 0; p < family.likelihood.parameters.size(); ++p) {
          const auto total = [&](double step) {
            Likelihood moved = family.likelihood;
            moved.parameters[p] *= std::exp(step);
            return expectations_of(moved, grid.observations(), grid.mean, variances).total;
          };
          CHECK(here.d_parameters[p] == doctest::Approx((total(1e-5) - total(-1e-5)) / 2e-5).epsilon(1e-6));
        }
      }
    });
  });
}

TEST_CASE("the logit's normal mixture is as close as its header says") {
  with_each_instruction_set([] {
    std::vector<double> mean;
    for (double m = -40.0; m <= 40.0; m += 0.01) mean.push_back(m);
    const std::vector<double> y(mean.size(), 1.0), none(mean.size(), 0.0);
    const Observations observations{Index(mean.size()), y.data(), nullptr, nullptr};
    const Likelihood logit{ResponseFamily::binomial_logit, {}};
    const Expectations exact = expectations_of(logit, observations, mean, {});
    const Expectations mixture = expectations_of(logit, observations, mean, none);
    const auto largest = [](const std::vector<double>& a, const std::vector<double>& b) {
      double result = 0.0;
      for (std::size_t i = 0; i < a.size(); ++i) result = std::max(result, std::abs(a[i] - b[i]));
      return result;
    };
    CHECK(largest(mixture.value, exact.value) < 3.5e-9);
    CHECK(largest(mixture.slope, exact.slope) < 3.5e-9);
    CHECK(largest(mixture.curvature, exact.curvature) < 1.5e-8);
  });
}

TEST_CASE("discrete densities sum to one") {
  for_each_family([](const FamilyCase& family) {
    if (!family.discrete) return;
    const bool has_trials = family.responses.back().trials > 1;
    std::vector<double> y(has_trials ? 13 : std::size_t(family.most - family.least) + 1), trials(y.size(), 12.0);
    const std::vector<double> eta(y.size(), 0.8);
    std::iota(y.begin(), y.end(), family.least);
    const Observations observations{Index(y.size()), y.data(), trials.data(), nullptr};
    double sum = 0.0;
    for (const double value : log_density(family.likelihood, observations, eta.data(), with_threads(1)))
      sum += std::exp(value);
    CHECK(sum == doctest::Approx(1.0).epsilon(1e-12));
  });
}

TEST_CASE("nothing overflows where data are separated") {
  with_each_instruction_set([] {
    for_each_family([](const FamilyCase& family) {
      const Grid grid(family, {-700.0, -300.0, -40.0, 40.0, 300.0, 700.0});
      for (const double variance : {0.0, 1.0, 100.0}) {
        CAPTURE(variance);
        const Expectations result = expectations_of(family.likelihood, grid.observations(), grid.mean,
                                                    std::vector<double>(grid.mean.size(), variance));
        CHECK(std::isfinite(result.total));
        CHECK((all_finite(result.value) && all_finite(result.slope) && all_finite(result.curvature)));
      }
      const Expectations points = expectations_of(family.likelihood, grid.observations(), grid.mean, {});
      CHECK((all_finite(points.value) && all_finite(points.slope) && all_finite(points.curvature)));
      CHECK(all_finite(points.third));
    });
  });
}

TEST_CASE("log-concave families have no negative curvature, Student's t has") {
  const ResponseFamily not_concave[] = {ResponseFamily::student_t,        ResponseFamily::beta,
                                        ResponseFamily::zi_poisson,       ResponseFamily::zi_nbinom2,
                                        ResponseFamily::betabinomial,     ResponseFamily::nbinom1,
                                        ResponseFamily::truncated_nbinom2};
  with_each_instruction_set([&] {
    for_each_family([&](const FamilyCase& family) {
      const ResponseFamily which = family.likelihood.family;
      if (std::find(std::begin(not_concave), std::end(not_concave), which) != std::end(not_concave)) return;
      const Grid grid(family, {-30.0, -12.0, -3.0, 0.0, 3.0, 12.0, 30.0});
      for (const double variance : {0.0, 0.5, 10.0}) {
        CAPTURE(variance);
        const Expectations result = expectations_of(family.likelihood, grid.observations(), grid.mean,
                                                    std::vector<double>(grid.mean.size(), variance));
        for (const double curvature : result.curvature) CHECK(curvature > -1e-10);
      }
    });
    const double y = 10.0;
    const Likelihood t{ResponseFamily::student_t, {1.0, 4.0}};
    CHECK(expectations_of(t, {1, &y, nullptr, nullptr}, {0.0}, {0.1}).curvature[0] < -0.01);
  });
}

TEST_CASE("Student's t is the same in any units of the response") {
  with_each_instruction_set([] {
    const std::vector<double> y{-2.0, 0.3, 0.4, 9.0}, mean{-1.5, 0.3, 0.8, 1.0}, variance{0.0, 1e-4, 0.2, 3.0};
    const auto in_units = [&](double unit) {
      const auto scaled = [](std::vector<double> x, double by) {
        for (double& value : x) value *= by;
        return x;
      };
      const std::vector<double> responses = scaled(y, unit);
      const Likelihood t{ResponseFamily::student_t, {0.2 * unit, 4.0}};
      return expectations_of(t, {Index(y.size()), responses.data(), nullptr, nullptr}, scaled(mean, unit),
                             scaled(variance, unit * unit));
    };
    const Expectations one = in_units(1.0);
    for (const double unit : {1e-12, 1e-6, 1e9}) {
      CAPTURE(unit);
      const Expectations other = in_units(unit);
      for (std::size_t i = 0; i < y.size(); ++i) {
        CHECK(other.value[i] + std::log(unit) == doctest::Approx(one.value[i]).epsilon(1e-9));
        CHECK(other.slope[i] * unit == doctest::Approx(one.slope[i]).epsilon(1e-9));
        CHECK(other.curvature[i] * unit * unit == doctest::Approx(one.curvature[i]).epsilon(1e-5));
      }
    }
  });
}

TEST_CASE("sums and results do not depend on threads, and every length is served") {
  with_each_instruction_set([] {
    for_each_family([](const FamilyCase& family) {
      for (const int n : {1, 3, 9, 1025, 2100}) {
        std::vector<double> y, trials, mean, variance;
        for (int i = 0; i < n; ++i) {
          const Response& response = family.responses[i % family.responses.size()];
          y.push_back(response.y);
          trials.push_back(response.trials);
          mean.push_back(std::sin(double(i)));
          variance.push_back(0.1 + 0.5 * std::abs(std::cos(double(i))));
        }
        const Observations observations{n, y.data(), trials.data(), nullptr};
        const Expectations one = expectations_of(family.likelihood, observations, mean, variance, 1);
        CHECK(one.total == doctest::Approx(std::accumulate(one.value.begin(), one.value.end(), 0.0)));
        for (const int threads : {2, 4}) {
          const Expectations more = expectations_of(family.likelihood, observations, mean, variance, threads);
          CHECK(more.total == one.total);
          CHECK((more.value == one.value && more.slope == one.slope && more.curvature == one.curvature));
          CHECK(more.d_parameters == one.d_parameters);
        }
      }
    });
  });
}

TEST_CASE("families go by name, and parameters are checked") {
  CHECK(response_family_from_name("negative_binomial") == ResponseFamily::negative_binomial);
  CHECK_THROWS_AS(response_family_from_name("weibull"), Error);
  const double y = 1.0;
  const Observations observations{1, &y, nullptr, nullptr};
  const auto evaluate = [&](std::vector<double> parameters) {
    return expectations_of({ResponseFamily::gamma, parameters}, observations, {0.0}, {}).total;
  };
  CHECK(evaluate({2.0}) == doctest::Approx(2.0 * std::log(2.0) - 2.0));
  CHECK_THROWS_AS(evaluate({}), Error);
  CHECK_THROWS_AS(evaluate({0.0}), Error);
  CHECK_THROWS_AS(evaluate({NAN}), Error);
  CHECK_THROWS_AS(evaluate({1.0, 2.0}), Error);
  const auto ordered = [&](std::vector<double> gaps) {
    return expectations_of({ResponseFamily::ordinal_logit, gaps}, observations, {0.0}, {}).total;
  };
  CHECK(ordered({1.0, 2.0, 0.5}) == doctest::Approx(std::log(0.5)));
  CHECK_THROWS_AS(ordered({}), Error);
}
