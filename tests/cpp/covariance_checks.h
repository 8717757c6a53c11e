// Checks of covariances against the dense reference, for rows with more columns than the two coordinates of a location.
#pragma once

#include <vector>

#include "base/error.h"
#include "core_fixtures.h"
#include "covariance/covariance_matrix.h"
#include "response/exact_gp.h"
#include "response/joint_likelihood.h"

namespace fixtures {

inline void check_conditional_densities(const std::vector<neargp::Covariance>& covariances, int columns = 4) {
  using namespace neargp;
  for (const Covariance& covariance : covariances) {
    const Data data(uniform_cloud(29, columns), 3);
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

inline void check_joint_densities(const std::vector<neargp::Covariance>& covariances, int columns = 4) {
  using namespace neargp;
  for (const Covariance& covariance : covariances) {
    const Data data(uniform_cloud(29, columns), 3);
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

inline void check_covariance_matrices(const std::vector<neargp::Covariance>& covariances, int columns = 4) {
  using namespace neargp;
  const Cloud cloud = uniform_cloud(11, columns);
  for (const Covariance& covariance : covariances) {
    const PreparedCovariance prepared = prepare(covariance, columns, false);
    const Eigen::MatrixXd matrix = covariance_matrix(prepared, cloud.view(), cloud.view());
    CHECK(difference(matrix, reference::cross_covariance(covariance, cloud.view(), cloud.view())) < 1e-13);
    CHECK(difference(field_variances(prepared, cloud.view()), matrix.diagonal()) < 1e-13);
    CHECK_THROWS_AS(prepare(covariance, 2, false), Error);
  }
}

}  // namespace fixtures
