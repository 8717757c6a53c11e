#include <doctest/doctest.h>

#include <vector>

#include "core_fixtures.h"
#include "likelihood_fixtures.h"

using namespace neargp;
using namespace fixtures;

TEST_CASE("data with parameters of their own are those of a call for each") {
  with_each_instruction_set([] {
    for_each_family([](const FamilyCase& family) {
      const Grid grid(family, moderate_means);
      const std::size_t n = grid.mean.size(), kinds = family.likelihood.parameters.size();
      for (const std::vector<double>& variances : {std::vector<double>(n, 0.6), std::vector<double>()}) {
        Likelihood own = family.likelihood;
        own.by_datum = true;
        own.parameters.clear();
        for (std::size_t i = 0; i < n; ++i)
          for (std::size_t p = 0; p < kinds; ++p)
            own.parameters.push_back(family.likelihood.parameters[p] * (p > 0 ? 1.0 : 1.0 - 0.3 * double(i) / n));
        const Observations all = grid.observations();
        const Expectations together = expectations_of(own, all, grid.mean, variances, 2);
        double total = 0.0;
        for (std::size_t i = 0; i < n; ++i) {
          const double* first = own.parameters.data() + i * kinds;
          const Likelihood single{family.likelihood.family, {first, first + kinds}};
          const Observations one{1, all.y + i, all.trials ? all.trials + i : nullptr};
          const Expectations alone = expectations_of(single, one, {grid.mean[i]},
                                                     variances.empty() ? variances : std::vector<double>{variances[i]});
          CHECK(together.value[i] == alone.value[0]);
          CHECK(together.slope[i] == alone.slope[0]);
          CHECK(together.curvature[i] == alone.curvature[0]);
          for (std::size_t p = 0; p < kinds; ++p) CHECK(together.d_parameters[i * kinds + p] == alone.d_parameters[p]);
          total += alone.value[0];
        }
        CHECK(together.total == doctest::Approx(total).epsilon(1e-12));
      }
    });
  });
}
