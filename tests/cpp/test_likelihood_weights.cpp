#include <doctest/doctest.h>

#include <cmath>

#include "core_fixtures.h"
#include "likelihood_fixtures.h"

using namespace neargp;
using namespace fixtures;

namespace {

// The factor by which a weight multiplies the first parameter; 1 where it multiplies the log density.
double weight_factor(ResponseFamily family, double weight) {
  switch (family) {
    case ResponseFamily::gaussian:
    case ResponseFamily::tweedie: return 1.0 / weight;
    case ResponseFamily::censored_gaussian:
    case ResponseFamily::student_t: return 1.0 / std::sqrt(weight);
    case ResponseFamily::gamma:
    case ResponseFamily::beta: return weight;
    default: return 1.0;
  }
}

}  // namespace

TEST_CASE("weights divide the dispersion of the families that have one, and multiply the log density of others") {
  for_each_family([](const FamilyCase& family) {
    const Grid grid(family, moderate_means);
    const std::vector<double> weights(grid.mean.size(), 2.5), variances(grid.mean.size(), 0.6);
    Observations weighted = grid.observations();
    weighted.weights = weights.data();
    const Expectations result = expectations_of(family.likelihood, weighted, grid.mean, variances);
    Likelihood likelihood = family.likelihood;
    const double of_parameter = weight_factor(likelihood.family, 2.5);
    const bool scaled = of_parameter != 1.0;
    if (scaled) likelihood.parameters[0] *= of_parameter;
    const Expectations plain = expectations_of(likelihood, grid.observations(), grid.mean, variances);
    const double factor = scaled ? 1.0 : 2.5;
    CHECK(result.total == doctest::Approx(factor * plain.total));
    for (std::size_t i = 0; i < grid.mean.size(); ++i) {
      CHECK(result.slope[i] == doctest::Approx(factor * plain.slope[i]));
      CHECK(result.curvature[i] == doctest::Approx(factor * plain.curvature[i]));
    }
    for (std::size_t p = 0; p < likelihood.parameters.size(); ++p)
      CHECK(result.d_parameters[p] == doctest::Approx(factor * plain.d_parameters[p]));
  });
}

TEST_CASE("weights that differ from datum to datum are each datum's own") {
  with_each_instruction_set([] {
    for_each_family([](const FamilyCase& family) {
      const Grid grid(family, moderate_means);
      const std::size_t n = grid.mean.size();
      std::vector<double> weights, variances(n, 0.6);
      for (std::size_t i = 0; i < n; ++i) weights.push_back(i % 5 < 2 ? 1.0 : 0.5 + double(i % 3));
      Observations all = grid.observations();
      all.weights = weights.data();
      const Expectations together = expectations_of(family.likelihood, all, grid.mean, variances);
      for (std::size_t i = 0; i < n; ++i) {
        const Observations one{1, &grid.y[i], &grid.trials[i], &weights[i]};
        const Expectations alone = expectations_of(family.likelihood, one, {grid.mean[i]}, {0.6});
        // a quadrature rule is as fine as the most demanding lane wants it
        CHECK(together.value[i] == doctest::Approx(alone.value[0]).epsilon(1e-7));
        CHECK(together.curvature[i] == doctest::Approx(alone.curvature[0]).epsilon(1e-7));
      }
      for (std::size_t p = 0; p < family.likelihood.parameters.size(); ++p) {
        const auto total = [&](double step) {
          Likelihood moved = family.likelihood;
          moved.parameters[p] *= std::exp(step);
          return expectations_of(moved, all, grid.mean, variances).total;
        };
        CHECK(together.d_parameters[p] == doctest::Approx((total(1e-5) - total(-1e-5)) / 2e-5).epsilon(1e-6));
      }
    });
  });
}
