// Local standard deviations and ranges against the dense reference: tiles, dense matrices, kriging.
#include <doctest/doctest.h>

#include "covariance_checks.h"

using namespace neargp;
using namespace fixtures;

namespace {

// Coordinates 0 and 1 are the location, 2 and 3 are covariates.
Component local(Component component, std::vector<double> log_sd, std::vector<double> log_range) {
  const auto field = [](std::vector<double> coefficients) {
    LocalField result{{}, coefficients};
    for (int m = 0; m < int(coefficients.size()); ++m) result.columns.push_back(2 + m);
    return result;
  };
  component.log_sd = field(log_sd);
  component.log_range = field(log_range);
  return component;
}

// Components times a column, alone and together with local fields.
std::vector<Covariance> varying_covariances() {
  const auto times = [](Component component, int column) {
    component.by = column;
    return component;
  };
  const Component rough = component(Family::exponential, 1.3, {0.3}, {0, 0});
  const Component smooth = component(Family::matern, 0.8, {0.3, 0.5}, {0, 1}, 1.2);
  std::vector<Covariance> result;
  result.push_back({{times(rough, 2)}, 0.2, {}});
  result.push_back({{smooth, times(rough, 3)}, 0.2, {}});
  result.push_back({{times(local(smooth, {0.3}, {0.5}), 3), times(rough, 2)}, 0.2, {}});
  return result;
}

std::vector<Covariance> local_covariances() {
  const Component rough = component(Family::exponential, 1.3, {0.3}, {0, 0});
  const Component smooth = component(Family::matern, 0.8, {0.3, 0.5}, {0, 1}, 1.2);
  const Component rotated = anisotropic(component(Family::matern, 0.9, {0.4}, {0, 0}, 2.5), 0.3, -0.2);
  std::vector<Covariance> result;
  result.push_back({{local(rough, {0.4}, {})}, 0.2, {}});
  result.push_back({{local(rough, {}, {0.5, -0.6})}, 0.2, {}});
  result.push_back({{local(smooth, {0.3, -0.5}, {0.7})}, 0.2, {}});
  result.push_back({{local(rotated, {}, {0.6}), local(rough, {0.4}, {})}, 0.2, {}});
  result[3].active.assign(result[3].parameters(), 1);
  result[3].active[4] = 0;  // the smoothness 5/2
  return result;
}

}  // namespace

TEST_CASE("local fields: value, gradient and information are those of dense conditional densities") {
  check_conditional_densities(local_covariances());
}

TEST_CASE("local fields: joint densities, and the exact likelihood") { check_joint_densities(local_covariances()); }

TEST_CASE("local fields: the covariance matrix and its diagonal, and columns that are not there") {
  check_covariance_matrices(local_covariances());
}

TEST_CASE("components times a column: conditional and joint densities, and the covariance matrix, are the dense ones") {
  check_conditional_densities(varying_covariances());
  check_joint_densities(varying_covariances());
  check_covariance_matrices(varying_covariances());
}

TEST_CASE("components times a column that points do not have are refused") {
  Component broken = component(Family::exponential, 1.3, {0.3}, {0, 0});
  for (const int column : {1, 4}) {
    broken.by = column;
    CHECK_THROWS_AS(prepare({{broken}, 0.2, {}}, 4, false), Error);
  }
}
