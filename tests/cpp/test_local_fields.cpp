// Local standard deviations and ranges against the dense reference: tiles, dense matrices, kriging.
#include <doctest/doctest.h>

#include "base/error.h"
#include "core_fixtures.h"
#include "covariance/covariance_matrix.h"
#include "response/exact_gp.h"
#include "response/joint_likelihood.h"

using namespace neargp;
using namespace fixtures;

namespace {

// Coordinates 0 and 1 are places, 2 and 3 covariates.
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
  for (const Covariance& covariance : local_covariances()) {
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

TEST_CASE("local fields: joint densities, and the exact likelihood") {
  for (const Covariance& covariance : local_covariances()) {
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

TEST_CASE("local fields: the covariance matrix and its diagonal, and columns that are not there") {
  const Cloud cloud = uniform_cloud(11, 4);
  for (const Covariance& covariance : local_covariances()) {
    const PreparedCovariance prepared = prepare(covariance, 4, false);
    const Eigen::MatrixXd matrix = covariance_matrix(prepared, cloud.view(), cloud.view());
    CHECK(difference(matrix, reference::cross_covariance(covariance, cloud.view(), cloud.view())) < 1e-13);
    CHECK(difference(field_variances(prepared, cloud.view()), matrix.diagonal()) < 1e-13);
    CHECK_THROWS_AS(prepare(covariance, 2, false), Error);
  }
}
