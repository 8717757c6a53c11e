// Warped coordinates against the dense reference: tiles and dense matrices.
#include <doctest/doctest.h>

#include "covariance_checks.h"

using namespace neargp;
using namespace fixtures;

namespace {

// Coordinates 0 and 1 are the location, 2 and 3 are columns of warps. These need not increase for the derivatives.
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
  check_conditional_densities(warped_covariances());
}

TEST_CASE("warped coordinates: joint densities, and the exact likelihood") {
  check_joint_densities(warped_covariances());
}

TEST_CASE("warped coordinates: the covariance matrix and its diagonal, and columns that are not there") {
  check_covariance_matrices(warped_covariances());
}

TEST_CASE("warped coordinates: what cannot be is refused") {
  Component broken = component(Family::exponential, 1.3, {0.3}, {0, 0});
  broken.warps = {further(2, {0.5, -0.3})};  // the first one is missing
  CHECK_THROWS_AS(prepare({{broken}, 0.2, {}}, 4, false), Error);
  broken = anisotropic(component(Family::exponential, 1.3, {0.3}, {0, 0}), 0.3, -0.2);
  broken.warps = {replaced(1, {0.5, -0.3})};
  CHECK_THROWS_AS(prepare({{broken}, 0.2, {}}, 4, false), Error);
}
