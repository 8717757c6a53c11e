#include <doctest/doctest.h>

#include <cmath>

#include "base/error.h"
#include "latent/node_groups.h"
#include "latent_reference.h"

using namespace neargp;
using namespace fixtures;

// Groups of nodes, some of which no datum sees, in the caller's numbers.
TEST_CASE("covariances within groups and variances of their sums are those of the dense posterior") {
  const RunContext context = with_threads(2);
  const Latent latent(35, 34, 60, false, ResponseFamily::gaussian, 4);
  const Covariance covariance = latent_covariance(0.8, 0.3);
  const reference::DensePosterior dense =
      reference::dense_posterior(reference::dense_latent(latent.data, covariance), latent.response, true, 0.2);
  const NodeGroups groups{{0, 1, 4, 4, 9}, {0, 3, 20, 7, 34, 0, 1, 2, 33}};
  const std::vector<double> weights = {2.0, 0.2, 0.3, 0.5, 1.0, -1.0, 0.5, 0.1, 0.7};
  std::vector<double> precision;
  for (const double weight : latent.response.weights) precision.push_back(weight / 0.2);
  for (const bool exact : {true, false}) {
    CAPTURE(exact);
    LatentModel model(latent.data, context);
    model.set_covariance(covariance, context);
    PosteriorFactor posterior(model, PosteriorKind::laplace, {exact}, context);
    posterior.set_prior();
    REQUIRE(posterior.factorize(precision, context));
    Workspaces workspaces;
    const std::vector<double> variance = group_variances(model, posterior, groups, weights, workspaces, context);
    const std::vector<double> blocks = group_covariances(model, posterior, groups, workspaces, context);
    const double tolerance = exact ? 1e-9 : 1e-4;
    std::size_t at = 0;
    for (Index g = 0; g < groups.count(); ++g) {
      double sum = 0.0;
      for (Index i = groups.start[g]; i < groups.start[g + 1]; ++i)
        for (Index j = groups.start[g]; j < groups.start[g + 1]; ++j) {
          const double expected = dense.covariance(groups.node[i], groups.node[j]);
          CHECK(std::abs(blocks[at++] - expected) < tolerance);
          sum += weights[i] * weights[j] * expected;
        }
      CHECK(std::abs(variance[g] - sum) < 4.0 * tolerance);
    }
    CHECK(at == blocks.size());
    CHECK_THROWS_AS(group_variances(model, posterior, groups, {1.0}, workspaces, context), Error);
    CHECK_THROWS_AS(group_covariances(model, posterior, {{0, 1}, {35}}, workspaces, context), Error);
    CHECK_THROWS_AS(group_covariances(model, posterior, {{0, 2}, {3}}, workspaces, context), Error);
  }
}
