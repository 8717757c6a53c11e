#include <doctest/doctest.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "core_fixtures.h"
#include "extended.h"
#include "output_fixtures.h"
#include "response/exact_gp.h"
#include "response/joint_likelihood.h"
#include "response/kriging.h"

using namespace neargp;
using namespace fixtures;

namespace {

void check_against_reference(const OutputData& data, const NeighborTable& table, const std::vector<int>& targets,
                             const Covariance& covariance) {
  LocalProblem problem(data.view(), table, targets, with_threads(1));
  const reference::Sums expected = reference::vecchia_sums(data.view(), table, targets, covariance);
  with_each_instruction_set([&] {
    check_values(vecchia_sums(problem, covariance, false, with_threads(1)), expected);
    check_gradient(conditional_gradient(problem, covariance, data.data.beta(), with_threads(1)), expected,
                   data.data.beta(), double(problem.targets()));
  });
}

}  // namespace

TEST_CASE("several outputs: value and gradient of conditional densities" * extended) {
  for (const Model& model : models_of_outputs()) {
    CAPTURE(model.name);
    const OutputData data(23, model.dim, 3);
    check_against_reference(data, neighbors_others(data.data, 6), {}, model.covariance);
    check_against_reference(data, neighbors_before(data.data, 5), {}, model.covariance);
    check_against_reference(data, neighbors_others(data.data, 22), {}, model.covariance);
    NeighborTable some(3, 4);
    const NeighborTable all = neighbors_others(data.data, 4);
    for (Index t = 0; t < 3; ++t) std::copy_n(all[7 * t], 4, some[t]);
    check_against_reference(data, some, {0, 7, 14}, model.covariance);
  }
}

TEST_CASE("several outputs: value and gradient of neighbourhoods' joint densities") {
  for (const Model& model : models_of_outputs()) {
    CAPTURE(model.name);
    const OutputData data(19, model.dim, 2);
    for (const int k : {0, 5}) {
      const NeighborTable table = k > 0 ? neighbors_before(data.data, k) : NeighborTable(19, 0);
      LocalProblem problem(data.view(), table, {}, with_threads(1));
      const reference::Sums expected = reference::joint_sums(data.view(), table, model.covariance);
      with_each_instruction_set([&] {
        check_values(joint_sums(problem, model.covariance, with_threads(1)), expected);
        check_gradient(joint_gradient(problem, model.covariance, data.data.beta(), with_threads(1)), expected,
                       data.data.beta(), 19.0);
      });
    }
  }
}

TEST_CASE("several outputs: likelihood, gradient and information of the dense model") {
  for (const Model& model : models_of_outputs()) {
    CAPTURE(model.name);
    const OutputData data(17, model.dim, 3);
    std::vector<int> rows;
    for (int i = 0; i < 17; ++i) rows.push_back(i);
    const reference::Sums expected = reference::JointDensity(data.view(), model.covariance).of(rows);
    const LikelihoodSums sums = exact_sums(data.view(), model.covariance, true, RunContext{});
    check_values(sums, expected);
    check_derivatives(sums, expected);
    check_gradient(exact_gradient(data.view(), model.covariance, data.data.beta(), RunContext{}), expected,
                   data.data.beta(), 17.0);
  }
}

TEST_CASE("several outputs: predictions of each output are those of dense cokriging") {
  for (const Model& model : models_of_outputs()) {
    CAPTURE(model.name);
    const OutputData data(15, model.dim, 1);
    const Cloud targets = uniform_cloud(6, model.dim, 77);
    const std::vector<int> outputs = {0, 1, 2, 2, 1, 0};
    NeighborTable table(6, 15);
    for (Index t = 0; t < 6; ++t)
      for (int i = 0; i < 15; ++i) table[t][i] = i;
    const Eigen::MatrixXd s = reference::noisy_covariance(model.covariance, data.view());
    const auto check = [&](const Kriging& kriging, const std::vector<double>& weights) {
      for (Index t = 0; t < 6; ++t) {
        Eigen::VectorXd c(15);
        for (int i = 0; i < 15; ++i)
          c[i] = reference::covariance(model.covariance, data.view().coords[i], targets.view()[t], data.outputs[i],
                                       outputs[t]);
        const Eigen::VectorXd b = s.ldlt().solve(c);
        const double variance =
            reference::covariance(model.covariance, targets.view()[t], targets.view()[t], outputs[t], outputs[t]);
        CHECK(kriging.weighted[t] == doctest::Approx(b.dot(reference::values_of(data.view()).col(0))).epsilon(1e-9));
        CHECK(kriging.variance[t] == doctest::Approx(variance - b.dot(c)).epsilon(1e-9));
        for (int i = 0; i < 15 && !weights.empty(); ++i) CHECK(std::abs(weights[t * 15 + i] - b[i]) < 1e-9);
      }
    };
    check(exact_krige(data.view(), targets.view(), model.covariance, RunContext{}, outputs.data()), {});
    with_each_instruction_set([&] {
      std::vector<double> weights(6 * 15);
      const Kriging kriging = krige(data.view(), targets.view(), table, model.covariance, false, with_threads(1),
                                    outputs.data(), weights.data());
      check(kriging, weights);
    });
  }
}

TEST_CASE("one loading and one output are the variance and the nugget of one output, to rounding") {
  const Data data(uniform_cloud(60, 2), 2);
  const Covariance one{{component(Family::matern, 1.7, {0.3}, {0, 0}, 1.5)}, 0.2, {}};
  Covariance several{{with_loadings(one.components[0], {std::sqrt(1.7)})}, 0.0, {}};
  several.output_nuggets = {0.2};
  const std::vector<int> outputs(60, 0);
  LocalData view = data.view();
  LocalProblem plain(view, neighbors_others(data, 8), {}, with_threads(1));
  view.outputs = outputs.data();
  LocalProblem coregionalised(view, neighbors_others(data, 8), {}, with_threads(1));
  const ObjectiveGradient a = conditional_gradient(plain, one, data.beta(), with_threads(1));
  const ObjectiveGradient b = conditional_gradient(coregionalised, several, data.beta(), with_threads(1));
  CHECK(b.value == doctest::Approx(a.value).epsilon(1e-12));
  // d / d loading = d / d log variance * 2 / loading
  CHECK(b.gradient[0] == doctest::Approx(a.gradient[0] * 2.0 / std::sqrt(1.7)).epsilon(1e-10));
  CHECK(b.gradient[1] == doctest::Approx(a.gradient[1]).epsilon(1e-10));
  CHECK(b.gradient.back() == doctest::Approx(a.gradient.back()).epsilon(1e-10));
}

TEST_CASE("several outputs: what does not fit is an error") {
  const OutputData data(12, 2, 1);
  const Covariance covariance = models_of_outputs()[0].covariance;
  LocalProblem problem(data.view(), neighbors_others(data.data, 3), {}, with_threads(1));
  LocalProblem of_one(data.data.view(), neighbors_others(data.data, 3), {}, with_threads(1));
  CHECK_THROWS_AS(vecchia_sums(problem, covariance, true, with_threads(1)), Error);  // no expected information
  CHECK_THROWS_AS(vecchia_sums(of_one, covariance, false, with_threads(1)), Error);
  CHECK_THROWS_AS(conditional_gradient(problem, structures()[0].covariance, {}, with_threads(1)), Error);
  Covariance two = covariance;
  two.output_nuggets.pop_back();
  two.components[0].loadings.pop_back();
  CHECK_THROWS_AS(vecchia_sums(problem, two, false, with_threads(1)), Error);
  Covariance uneven = covariance;
  uneven.components[0].loadings.push_back(1.0);
  CHECK_THROWS_AS(vecchia_sums(problem, uneven, false, with_threads(1)), Error);
}

TEST_CASE("the nearest earlier rows of another set, by comparing all") {
  const Cloud reference = uniform_cloud(5000, 2), queries = uniform_cloud(3000, 2, 5);
  const std::vector<int> order = shuffled(8000);
  std::vector<int> rank(8000);
  for (int r = 0; r < 8000; ++r) rank[order[r]] = r;
  const std::vector<int> reference_rank(rank.begin(), rank.begin() + 5000), query_rank(rank.begin() + 5000, rank.end());
  const NeighborTable table =
      nearest_earlier(reference.view(), reference_rank, queries.view(), query_rank, 4, with_threads(2));
  for (Index q = 0; q < 3000; q += 37) {
    std::vector<std::pair<double, int>> eligible;
    for (int i = 0; i < 5000; ++i)
      if (reference_rank[i] < query_rank[q])
        eligible.push_back({squared_distance(reference.view()[i], queries.view()[q], 2), i});
    std::sort(eligible.begin(), eligible.end());
    for (int r = 0; r < 4; ++r) CHECK(table[q][r] == (r < int(eligible.size()) ? eligible[r].second : -1));
  }
}
