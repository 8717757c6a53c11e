#include <doctest/doctest.h>

#include <cmath>

#include "base/error.h"
#include "core_fixtures.h"
#include "extended.h"

using namespace neargp;
using namespace fixtures;

namespace {

// Values, derivatives, information and the adjoint's gradient against the dense reference.
void check_against_reference(const Data& data, const NeighborTable& table, const std::vector<int>& targets,
                             const Covariance& covariance) {
  LocalProblem problem(data.view(), table, targets, with_threads(1));
  const reference::Sums expected = reference::vecchia_sums(data.view(), table, targets, covariance);
  with_each_instruction_set([&] {
    check_values(vecchia_sums(problem, covariance, false, with_threads(1)), expected);
    const LikelihoodSums sums = vecchia_sums(problem, covariance, true, with_threads(1));
    check_values(sums, expected);
    check_derivatives(sums, expected);
    check_gradient(conditional_gradient(problem, covariance, data.beta(), with_threads(1)), expected, data.beta(),
                   double(table.n));
  });
}

Covariance matern(double nugget = 0.2) { return {{component(Family::matern, 1.3, {0.3}, {0, 0}, 1.5)}, nugget, {}}; }

Covariance exponential() { return {{component(Family::exponential, 1.3, {0.3}, {0, 0})}, 0.2, {}}; }

}  // namespace

TEST_CASE("every covariance: value, gradient and information are those of dense conditional densities") {
  for (const Model& model : all_models()) {
    CAPTURE(model.name);
    const Data data(uniform_cloud(29, model.dim), 3);
    check_against_reference(data, neighbors_before(data, 9), {}, model.covariance);
  }
}

TEST_CASE("conditioning sets of all other points (LOO-k)") {
  const Data data(uniform_cloud(21, 2), 3);
  check_against_reference(data, neighbors_others(data, 6), {}, matern());
}

TEST_CASE("any number of targets and neighbours, also fewer than lanes or rows of a block") {
  for (int n = 1; n <= 17; ++n)  // every remainder of the last tile, up to 8 lanes
    for (const int k : {0, 1, 2, 3, 4, 5, 6, 11}) {
      CAPTURE(n);
      CAPTURE(k);
      const Data data(uniform_cloud(n, 2), 2);
      NeighborTable table(n, k);
      if (k > 0) table = neighbors_before(data, k);
      check_against_reference(data, table, {}, exponential());
    }
}

TEST_CASE("large conditioning sets, and sums of the whole Vecchia likelihood at k = n - 1") {
  const Data data(uniform_cloud(90, 2), 2);
  const NeighborTable table = neighbors_before(data, 89);
  check_against_reference(data, neighbors_others(data, 70), {}, exponential());
  const LocalProblem problem(data.view(), table, {}, with_threads(1));
  std::vector<int> rows(90);
  for (int i = 0; i < 90; ++i) rows[i] = i;
  const reference::Sums dense = reference::JointDensity(data.view(), matern()).of(rows);
  with_each_instruction_set([&] {
    const LikelihoodSums sums = vecchia_sums(problem, matern(), true, with_threads(1));
    check_values(sums, dense);
    check_derivatives(sums, dense);
  });
}

TEST_CASE("conditioning sets of hundreds, which come in smaller chunks" * extended) {
  const Data data(uniform_cloud(301, 2), 2);
  for (const int k : {200, 300}) {
    CAPTURE(k);
    const NeighborTable all = neighbors_others(data, k);
    const std::vector<int> targets = {7, 150, 299};
    NeighborTable table(3, k);
    for (Index t = 0; t < 3; ++t) std::copy_n(all[targets[std::size_t(t)]], k, table[t]);
    check_against_reference(data, table, targets, exponential());
  }
}

TEST_CASE("rows of hundreds that are nearly empty") {
  const Data data(uniform_cloud(9, 2), 2);
  check_against_reference(data, neighbors_others(data, 530), {}, exponential());
}

TEST_CASE("targets may be a subset, in any order") {
  const Data data(uniform_cloud(25, 2), 3);
  const NeighborTable all = neighbors_others(data, 5);
  const std::vector<int> targets = {24, 3, 17, 0, 8, 9, 10, 11, 23, 1};
  NeighborTable table(Index(targets.size()), 5);
  for (std::size_t t = 0; t < targets.size(); ++t) std::copy_n(all[targets[t]], 5, table[Index(t)]);
  check_against_reference(data, table, targets, matern());
}

TEST_CASE("an absent neighbour may stand anywhere in its row") {
  const Data data(uniform_cloud(20, 2), 2);
  NeighborTable table = neighbors_others(data, 6);
  table[0][0] = table[3][2] = table[3][3] = -1;
  for (int r = 0; r < 6; ++r) table[7][r] = -1;
  for (const Model& model : structures())
    if (model.dim == 2) check_against_reference(data, table, {}, model.covariance);
}

TEST_CASE("duplicated locations need a nugget; without one the first failed row is named" * extended) {
  const Data data(duplicated_cloud(20, 2, 6), 2);
  const NeighborTable table = neighbors_before(data, 8);
  check_against_reference(data, table, {}, exponential());
  check_against_reference(data, table, {}, structures().back().covariance);
  for (const Model& model : all_models()) {
    if (model.dim != 2) continue;
    CAPTURE(model.name);
    Covariance singular = model.covariance;
    singular.nugget = 0.0;
    LocalProblem problem(data.view(), table, {}, with_threads(1));
    with_each_instruction_set([&] {
      for (const int threads : {1, 2}) {
        const Index failed = vecchia_sums(problem, singular, true, with_threads(threads)).failed;
        CHECK(failed >= 0);
        CHECK(vecchia_sums(problem, singular, false, with_threads(threads)).failed == failed);
        CHECK(conditional_gradient(problem, singular, data.beta(), with_threads(threads)).failed == failed);
      }
    });
  }
}

TEST_CASE("the failed row is one whose conditioning set holds the duplicate, numbered as the caller does") {
  Data data(uniform_cloud(40, 2), 2);
  std::copy_n(data.cloud.coords.begin() + 2 * 12, 2, data.cloud.coords.begin() + 2 * 31);
  NeighborTable table = neighbors_others(data, 1);
  for (Index i = 0; i < 40; ++i)
    if (i != 31) table[i][0] = -1;
  const LocalProblem problem(data.view(), table, {}, with_threads(1));
  with_each_instruction_set([&] {
    CHECK(vecchia_sums(problem, matern(0.0), false, with_threads(1)).failed == 31);
    CHECK(vecchia_sums(problem, matern(0.1), false, with_threads(1)).failed == -1);
  });
}

TEST_CASE("without a nugget its derivative is zero and the others hold") {
  const Data data(uniform_cloud(23, 2), 2);
  for (const Model& model : structures())
    if (model.dim == 2) {
      Covariance covariance = model.covariance;
      covariance.nugget = 0.0;
      check_against_reference(data, neighbors_before(data, 5), {}, covariance);
    }
}

TEST_CASE("the results are the same for any number of threads, to the last bit") {
  const Data data(uniform_cloud(1100, 2), 3);
  LocalProblem problem(data.view(), neighbors_before(data, 6), {}, with_threads(1));
  const Covariance covariance = structures().back().covariance;
  with_each_instruction_set([&] {
    const LikelihoodSums one = vecchia_sums(problem, covariance, true, with_threads(1));
    const LikelihoodSums value_one = vecchia_sums(problem, covariance, false, with_threads(1));
    const ObjectiveGradient gradient_one = conditional_gradient(problem, covariance, data.beta(), with_threads(1));
    for (const int threads : {2, 4}) {
      const LikelihoodSums value = vecchia_sums(problem, covariance, false, with_threads(threads));
      CHECK(value.log_det == value_one.log_det);
      CHECK(value.gram == value_one.gram);
      const LikelihoodSums sums = vecchia_sums(problem, covariance, true, with_threads(threads));
      CHECK(sums.log_det == one.log_det);
      CHECK(sums.gram == one.gram);
      CHECK(sums.d_log_det == one.d_log_det);
      CHECK(sums.d_gram == one.d_gram);
      CHECK(sums.information == one.information);
      const ObjectiveGradient gradient = conditional_gradient(problem, covariance, data.beta(), with_threads(threads));
      CHECK(gradient.value == gradient_one.value);
      CHECK(gradient.gradient == gradient_one.gradient);
    }
  });
}

TEST_CASE("with a wide design the gradient at given coefficients is that of the sums over all columns") {
  const Data data(uniform_cloud(60, 2), 12);
  LocalProblem problem(data.view(), neighbors_before(data, 7), {}, with_threads(1));
  const Covariance covariance = structures()[2].covariance;
  const std::vector<double> beta = data.beta();
  Eigen::VectorXd contrast(12);
  contrast[0] = 1.0;
  for (int c = 1; c < 12; ++c) contrast[c] = -beta[c - 1];
  with_each_instruction_set([&] {
    const LikelihoodSums all = vecchia_sums(problem, covariance, true, with_threads(1));
    const ObjectiveGradient at = conditional_gradient(problem, covariance, beta, with_threads(1));
    const auto contracted = [&](const std::vector<double>& grams, int a) {
      return contrast.dot(square(grams, 12, a) * contrast);
    };
    const double constant = 60 * std::log(2.0 * std::acos(-1.0));
    CHECK(at.value == doctest::Approx(-0.5 * (constant + all.log_det + contracted(all.gram, 0))).epsilon(1e-11));
    for (int a = 0; a < covariance.parameters(); ++a)
      CHECK(at.gradient[a] == doctest::Approx(-0.5 * (all.d_log_det[a] + contracted(all.d_gram, a))).epsilon(1e-8));
  });
  CHECK_THROWS_AS(conditional_gradient(problem, covariance, {1.0}, with_threads(1)), Error);
}

TEST_CASE("derivatives that are not wanted are zero, and the others do not change") {
  const Data data(uniform_cloud(30, 2), 2);
  LocalProblem problem(data.view(), neighbors_before(data, 6), {}, with_threads(1));
  const Covariance full = structures().back().covariance;
  const int p = full.parameters();
  const LikelihoodSums all = vecchia_sums(problem, full, true, with_threads(1));
  const ObjectiveGradient gradient_all = conditional_gradient(problem, full, data.beta(), with_threads(1));
  for (int off = 0; off < p; ++off) {
    CAPTURE(off);
    Covariance part = full;
    part.active.assign(p, 1);
    part.active[off] = 0;
    const LikelihoodSums sums = vecchia_sums(problem, part, true, with_threads(1));
    const ObjectiveGradient gradient = conditional_gradient(problem, part, data.beta(), with_threads(1));
    for (int a = 0; a < p; ++a) {
      const double wanted = a == off ? 0.0 : 1.0;
      CHECK(sums.d_log_det[a] == doctest::Approx(wanted * all.d_log_det[a]).epsilon(1e-9));
      CHECK(sums.d_gram[4 * a] == doctest::Approx(wanted * all.d_gram[4 * a]).epsilon(1e-9));
      CHECK(gradient.gradient[a] == doctest::Approx(wanted * gradient_all.gradient[a]).epsilon(1e-9));
      CHECK(sums.information[a * p + 1] ==
            doctest::Approx(wanted * (off == 1 ? 0.0 : all.information[a * p + 1])).epsilon(1e-9));
    }
  }
}
