#include <doctest/doctest.h>

#include "core_fixtures.h"
#include "response/joint_likelihood.h"

using namespace neargp;
using namespace fixtures;

namespace {

void check_sums(LocalProblem problem, const Data& data, const reference::Sums& expected, const Covariance& covariance) {
  with_each_instruction_set([&] {
    check_values(joint_sums(problem, covariance, with_threads(1)), expected);
    check_gradient(joint_gradient(problem, covariance, data.beta(), with_threads(1)), expected, data.beta(),
                   double(problem.targets()));
  });
}

void check_against_reference(const Data& data, const NeighborTable& table, const Covariance& covariance) {
  check_sums(LocalProblem(data.view(), table, {}, with_threads(1)), data,
             reference::joint_sums(data.view(), table, covariance), covariance);
}

}  // namespace

TEST_CASE("every covariance: value and gradient are those of dense joint densities over their size (MLL-k)") {
  for (const Model& model : all_models()) {
    CAPTURE(model.name);
    const Data data(uniform_cloud(19, model.dim), 3);
    check_against_reference(data, neighbors_others(data, 5), model.covariance);
  }
}

TEST_CASE("neighbourhoods of different sizes, each divided by its own") {
  const Covariance one{{component(Family::exponential, 0.4, {0.05}, {0, 0})}, 0.2, {}};
  const Covariance two{{component(Family::matern, 1.1, {0.3}, {0, 0}, 2.5), one.components[0]}, 0.2, {}};
  for (int n = 1; n <= 9; ++n) {
    CAPTURE(n);
    const Covariance& covariance = n < 9 ? one : two;
    const Data data(uniform_cloud(n, 2), 2);
    check_against_reference(data, NeighborTable(n, 3), covariance);
    check_against_reference(data, neighbors_others(data, 1), covariance);
    check_against_reference(data, neighbors_others(data, 12), covariance);
    check_against_reference(data, neighbors_before(data, 4), covariance);
    check_against_reference(data, NeighborTable(n, 0), covariance);
  }
}

TEST_CASE("neighbourhoods of hundreds") {
  const int k = 260;
  const Data data(uniform_cloud(k + 1, 2), 2);
  const Covariance covariance{{component(Family::exponential, 1.3, {0.3}, {0, 0})}, 0.2, {}};
  const reference::JointDensity density(data.view(), covariance);
  const NeighborTable all = neighbors_others(data, k);
  const std::vector<int> targets = {7, 150};
  NeighborTable table(2, k);
  reference::Sums expected = density.zero();
  for (Index t = 0; t < 2; ++t) {
    std::copy_n(all[targets[std::size_t(t)]], k, table[t]);
    std::vector<int> rows = reference::conditioning_set(table, t);
    rows.push_back(targets[std::size_t(t)]);
    expected.add(density.of(rows), 1.0 / (k + 1));
  }
  check_sums(LocalProblem(data.view(), table, targets, with_threads(1)), data, expected, covariance);
}

TEST_CASE("duplicated locations need a nugget") {
  const Data data(duplicated_cloud(20, 2, 8), 2);
  Covariance covariance = structures()[2].covariance;
  check_against_reference(data, neighbors_others(data, 5), covariance);
  covariance.nugget = 0.0;
  LocalProblem problem(data.view(), neighbors_others(data, 5), {}, with_threads(1));
  with_each_instruction_set([&] {
    const Index failed = joint_sums(problem, covariance, with_threads(1)).failed;
    CHECK(failed >= 0);
    CHECK(joint_gradient(problem, covariance, data.beta(), with_threads(2)).failed == failed);
  });
}

TEST_CASE("the results are the same for any number of threads, to the last bit") {
  const Data data(uniform_cloud(900, 2), 2);
  LocalProblem problem(data.view(), neighbors_others(data, 5), {}, with_threads(1));
  const Covariance covariance = structures().back().covariance;
  with_each_instruction_set([&] {
    const LikelihoodSums one = joint_sums(problem, covariance, with_threads(1));
    const ObjectiveGradient gradient_one = joint_gradient(problem, covariance, data.beta(), with_threads(1));
    for (const int threads : {2, 4}) {
      const LikelihoodSums sums = joint_sums(problem, covariance, with_threads(threads));
      CHECK(sums.log_det == one.log_det);
      CHECK(sums.gram == one.gram);
      const ObjectiveGradient gradient = joint_gradient(problem, covariance, data.beta(), with_threads(threads));
      CHECK(gradient.value == gradient_one.value);
      CHECK(gradient.gradient == gradient_one.gradient);
    }
  });
}

TEST_CASE("a derivative that is not wanted is zero") {
  const Data data(uniform_cloud(12, 2), 2);
  LocalProblem problem(data.view(), neighbors_others(data, 4), {}, with_threads(1));
  Covariance covariance = structures().back().covariance;
  const ObjectiveGradient all = joint_gradient(problem, covariance, data.beta(), with_threads(1));
  for (int off = 0; off < covariance.parameters(); ++off) {
    covariance.active.assign(std::size_t(covariance.parameters()), 1);
    covariance.active[off] = 0;
    const ObjectiveGradient part = joint_gradient(problem, covariance, data.beta(), with_threads(1));
    for (int a = 0; a < covariance.parameters(); ++a)
      CHECK(part.gradient[a] == doctest::Approx(a == off ? 0.0 : all.gradient[a]).epsilon(1e-9));
  }
}
