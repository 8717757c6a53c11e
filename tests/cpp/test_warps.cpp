// Warped coordinates against the dense reference: tiles and dense matrices.
#include <doctest/doctest.h>

#include "base/error.h"
#include "core_fixtures.h"
#include "covariance/covariance_matrix.h"
#include "response/exact_gp.h"
#include "response/joint_likelihood.h"

using namespace neargp;
using namespace fixtures;

namespace {

// Coordinates 0 and 1 are places, 2 and 3 columns of warps, which need not rise for the derivatives.
WarpedCoordinate further(int number, std::vector<double> coefficients) {
  return {1 + number, {{2, 3}, coefficients}, false};
}
WarpedCoordinate replaced(int coordinate, std::vector<double> coefficients) {
  return {coordinate, {{3, 2}, coefficients}, true};
}

std::vector<Covariance> warped_covariances() {
  Component one = component(Family::exponential, 1.3, {0.3}, {0, 0});
  one.warps = {further(1, {0.5, -0.3})};
  Component two = component(Family::matern, 0.8, {0.3, 0.5}, {0, 1}, 1.2);
  two.warps = {further(1, {0.4, 0.3}), further(2, {-0.2, 0.6})};
  Component rotated = anisotropic(component(Family::matern, 0.9, {0.4}, {0, 0}, 2.5), 0.3, -0.2);
  rotated.log_sd = {{2}, {0.4}};
  rotated.log_range = {{3}, {-0.5}};
  rotated.warps = {further(1, {0.4, 0.3})};
  Component monotone = component(Family::exponential, 1.1, {0.3, 0.6}, {0, 1});
  monotone.warps = {replaced(1, {0.3, -0.4})};
  Component both = component(Family::gaussian, 0.7, {0.5}, {0, 0});
  both.warps = {replaced(0, {0.2, 0.1}), further(1, {0.4, 0.3})};
  std::vector<Covariance> result;
  for (const Component& only : {one, two, monotone, both}) result.push_back({{only}, 0.2, {}});
  result.push_back({{rotated, one}, 0.2, {}});
  result[4].active.assign(result[4].parameters(), 1);
  result[4].active[4] = 0;  // the smoothness 5/2
  return result;
}

}  // namespace

TEST_CASE("warped coordinates: value, gradient and information are those of dense conditional densities") {
  for (const Covariance& covariance : warped_covariances()) {
    const Data data(uniform_cloud(29, 4), 3);
    for (const NeighborTable& table : {neighbors_before(data, 9), neighbors_others(data, 6)}) {
      LocalProblem problem(data.view(), table, {}, with_threads(1));
      const reference::Sums expected = reference::vecchia_sums(data.view(), table, {}, covariance);
      with_each_instruction_set([&] {
        const LikelihoodSums sums = vecchia_sums(problem, covariance, true, with_threads(1));
        check_values(sums, expected);
        check_derivatives(sums, expected);
        check_gradient(conditional_gradient(problem, covariance, data.beta(), with_threads(1)), expected, data.beta(),
                       29.0);
      });
    }
  }
}

TEST_CASE("warped coordinates: joint densities, and the exact likelihood") {
  for (const Covariance& covariance : warped_covariances()) {
    const Data data(uniform_cloud(29, 4), 3);
    const NeighborTable others = neighbors_others(data, 8);
    LocalProblem problem(data.view(), others, {}, with_threads(1));
    const reference::Sums joint = reference::joint_sums(data.view(), others, covariance);
    with_each_instruction_set([&] {
      check_values(joint_sums(problem, covariance, with_threads(1)), joint);
      check_gradient(joint_gradient(problem, covariance, data.beta(), with_threads(1)), joint, data.beta(), 29.0);
    });
    const NeighborTable before = neighbors_before(data, 28);
    const reference::Sums exact = reference::vecchia_sums(data.view(), before, {}, covariance);
    const LikelihoodSums sums = exact_sums(data.view(), covariance, true, with_threads(1));
    check_values(sums, exact);
    check_derivatives(sums, exact);
  }
}

TEST_CASE("warped coordinates: the covariance matrix and its diagonal, and columns that are not there") {
  const Cloud cloud = uniform_cloud(11, 4);
  for (const Covariance& covariance : warped_covariances()) {
    const PreparedCovariance prepared = prepare(covariance, 4, false);
    const Eigen::MatrixXd matrix = covariance_matrix(prepared, cloud.view(), cloud.view());
    CHECK(difference(matrix, reference::cross_covariance(covariance, cloud.view(), cloud.view())) < 1e-13);
    CHECK(difference(field_variances(prepared, cloud.view()), matrix.diagonal()) < 1e-13);
    CHECK_THROWS_AS(prepare(covariance, 2, false), Error);
  }
}

TEST_CASE("warped coordinates: what cannot be is refused") {
  Component broken = component(Family::exponential, 1.3, {0.3}, {0, 0});
  broken.warps = {further(2, {0.5, -0.3})};  // the first one is missing
  CHECK_THROWS_AS(prepare({{broken}, 0.2, {}}, 4, false), Error);
  broken = anisotropic(component(Family::exponential, 1.3, {0.3}, {0, 0}), 0.3, -0.2);
  broken.warps = {replaced(1, {0.5, -0.3})};
  CHECK_THROWS_AS(prepare({{broken}, 0.2, {}}, 4, false), Error);
}
