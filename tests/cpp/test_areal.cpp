// Areas against the dense reference: tiles, dense matrices, kriging.
#include <doctest/doctest.h>

#include "covariance_checks.h"

using namespace neargp;
using namespace fixtures;

namespace {

// Rows of eight columns: the two coordinates of a location, and two points with two coordinates and a weight each.
constexpr int columns = 8;

std::vector<Covariance> areal_covariances() {
  const Component rough = component(Family::exponential, 1.3, {0.3}, {0, 0});
  const Component smooth = component(Family::matern, 0.8, {0.3, 0.5}, {0, 1}, 1.2);
  const Component rotated = anisotropic(component(Family::matern, 0.9, {0.4}, {0, 0}, 2.5), 0.3, -0.2);
  std::vector<Covariance> result;
  result.push_back({{rough}, 0.2, {}});
  result.push_back({{smooth}, 0.2, {}});
  result.push_back({{rotated, rough}, 0.2, {}});
  result[2].active.assign(result[2].parameters(), 1);
  result[2].active[4] = 0;  // the smoothness 5/2
  for (Covariance& covariance : result) covariance.areal = true;
  return result;
}

// Some areas consist of one point alone, in some lanes or in all.
Data areas_and_places(int n) {
  Data data(uniform_cloud(n, columns), 3);
  for (int i = 0; i < n; ++i)
    if (i % 3 == 0 || i < n / 2) data.cloud.coords[i * columns + 7] = 0.0;
  return data;
}

}  // namespace

TEST_CASE("areas: value, gradient and information are those of dense conditional densities") {
  check_conditional_densities(areal_covariances(), columns);
}

TEST_CASE("areas: joint densities, and the exact likelihood") { check_joint_densities(areal_covariances(), columns); }

TEST_CASE("areas: the covariance matrix and its diagonal, and columns that are not there") {
  check_covariance_matrices(areal_covariances(), columns);
  Covariance wrong = areal_covariances()[0];
  CHECK_THROWS_AS(prepare(wrong, columns - 1, false), Error);
  wrong.components[0].log_sd = {{2}, {0.5}};
  CHECK_THROWS_AS(prepare(wrong, columns, false), Error);
}

TEST_CASE("areas: rows of one point are places") {
  const Data data = areas_and_places(23);
  const NeighborTable table = neighbors_before(data, 7);
  LocalProblem problem(data.view(), table, {}, with_threads(1));
  for (const Covariance& covariance : areal_covariances()) {
    const reference::Sums expected = reference::vecchia_sums(data.view(), table, {}, covariance);
    with_each_instruction_set([&] {
      const LikelihoodSums sums = vecchia_sums(problem, covariance, true, with_threads(1));
      check_values(sums, expected);
      check_derivatives(sums, expected);
    });
    const Eigen::MatrixXd matrix =
        covariance_matrix(prepare(covariance, columns, false), data.cloud.view(), data.cloud.view());
    const Eigen::MatrixXd dense = reference::cross_covariance(covariance, data.cloud.view(), data.cloud.view());
    CHECK(difference(matrix, dense) < 1e-13);
  }
}
