// Factors of the effects' precision, sparse and dense, against the dense matrix, and the likelihood's derivatives
// against differences.
#include <doctest/doctest.h>

#include <Eigen/Dense>
#include <cmath>
#include <limits>

#include "core_fixtures.h"
#include "effects/dense_effect_system.h"
#include "effects/effects_likelihood.h"
#include "effects/sparse_effect_system.h"

using namespace neargp;
using namespace fixtures;

namespace {

const RunContext context;

constexpr double unlimited = std::numeric_limits<double>::infinity();

// Regions along the first coordinate, the last of which contains no row; a column of all rows; and one of four rows in
// five.
struct Effects {
  static constexpr int regions = 40, slots = 3;
  std::vector<int> column;
  std::vector<double> value;

  explicit Effects(const Data& data) {
    for (Index i = 0; i < data.cloud.view().n; ++i) {
      const double x = data.cloud.view()[i][0];
      column.push_back(std::min(int((x - std::floor(x)) * (regions - 1)), regions - 2));
      column.push_back(regions);
      column.push_back(i % 5 ? regions + 1 : -1);
      for (int s = 0; s < slots; ++s) value.push_back(0.4 + std::sin(1.0 + 3.0 * double(i) + s));
    }
  }
  EffectColumns view() const { return {regions + 2, slots, column.data()}; }
};

Covariance field(double variance, double range, double nugget) {
  Covariance covariance;
  covariance.components = {component(Family::exponential, variance, {range}, {0, 0})};
  covariance.nugget = nugget;
  return covariance;
}

void check_system(EffectSystem& system, const EffectRows& rows) {
  const int q = rows.columns();
  REQUIRE(system.factorize(context));
  Eigen::MatrixXd W = Eigen::MatrixXd::Zero(rows.targets(), q);
  for (Index t = 0; t < rows.targets(); ++t)
    for (int a = 0; a < rows.count(t); ++a) W(t, rows.column(t)[a]) = rows.entries(t)[a];
  const Eigen::MatrixXd C = Eigen::MatrixXd::Identity(q, q) + W.transpose() * W, P = C.inverse();
  CHECK(system.log_det() == doctest::Approx(C.ldlt().vectorD().array().log().sum()).epsilon(1e-11));
  Eigen::MatrixXd x = W.transpose().leftCols(3);
  const Eigen::MatrixXd solution = P * x;
  system.solve(x);
  CHECK((x - solution).cwiseAbs().maxCoeff() < 1e-10);
  system.invert(context);
  std::vector<double> h(rows.most());
  double worst = 0.0;
  for (Index t = 0; t < rows.targets(); ++t) {
    system.multiply_inverse(t, h.data());
    const Eigen::VectorXd product = P * W.row(t).transpose();
    for (int a = 0; a < rows.count(t); ++a) {
      worst = std::max(worst, std::abs(h[a] - product[rows.column(t)[a]]));
      worst = std::max(worst, std::abs(system.inverse(rows.column(t)[a], rows.column(t)[0]) -
                                       P(rows.column(t)[a], rows.column(t)[0])));
    }
  }
  CHECK(worst < 1e-10);
  const int columns[] = {2, 17, 33, Effects::regions - 1};
  const double entries[] = {1.0, -2.0, 0.5, 3.0};
  Eigen::VectorXd v = Eigen::VectorXd::Zero(q);
  for (int i = 0; i < 4; ++i) v[columns[i]] = entries[i];
  CHECK(system.inverse_form(columns, entries, 4) == doctest::Approx(v.dot(P * v)).epsilon(1e-10));
}

}  // namespace

TEST_CASE("factors of the precision of effects are those of the dense matrix") {
  const Data data(uniform_cloud(150, 2, 7), 3);
  const Effects effects(data);
  const NeighborTable neighbors = neighbors_before(data, 5);
  const LocalProblem problem(data.view(), neighbors, {}, context);
  EffectRows rows(problem, effects.view(), context);
  rows.set_values(effects.value.data());
  std::vector<double> weights(150 * 5), variance(150);
  for (std::size_t i = 0; i < weights.size(); ++i) weights[i] = 0.3 * std::sin(double(i));
  for (std::size_t i = 0; i < variance.size(); ++i) variance[i] = 0.5 + 0.3 * std::cos(double(i));
  rows.whiten(weights, variance, context);
  SparseEffectSystem sparse(rows, unlimited);
  REQUIRE(sparse.is_affordable());
  check_system(sparse, rows);
  DenseEffectSystem dense(rows);
  check_system(dense, rows);
  CHECK(effect_system(rows, 1.0, unlimited, false, context) == nullptr);
}

TEST_CASE("the factor is sparse where levels are near each other, and dense where they are scattered") {
  constexpr int levels = 200;
  const Data data(uniform_cloud(800, 1, 7), 3);
  const NeighborTable neighbors = neighbors_before(data, 3);
  const LocalProblem problem(data.view(), neighbors, {}, context);
  std::vector<int> regions, scattered;
  for (Index i = 0; i < 800; ++i) {
    regions.push_back(int(levels * data.cloud.view()[i][0]));
    scattered.push_back(int(i % levels));
  }
  EffectRows near(problem, {levels, 1, regions.data()}, context);
  const std::vector<double> values(800, 1.5), weights(800 * 3, 0.3), variance(800, 0.4);
  near.set_values(values.data());
  near.whiten(weights, variance, context);
  const auto chosen = effect_system(near, unlimited, unlimited, false, context);
  CHECK(dynamic_cast<SparseEffectSystem*>(chosen.get()) != nullptr);
  check_system(*chosen, near);
  EffectRows far(problem, {levels, 1, scattered.data()}, context);
  CHECK(dynamic_cast<DenseEffectSystem*>(effect_system(far, unlimited, unlimited, false, context).get()) != nullptr);
}

// The columns form a circle, and each shares a row with the next. Whichever column is eliminated first, all but the
// last two columns of the factor contain two entries, those of the neighbours that are left.
TEST_CASE("a sparse factor is affordable up to the squares of the numbers of its columns' entries") {
  constexpr int levels = 100;
  constexpr double work = (levels - 2) * 4.0 + 1.0;
  const Data data(uniform_cloud(levels, 1, 7), 3);
  const NeighborTable none(levels, 1);
  const LocalProblem problem(data.view(), none, {}, context);
  std::vector<int> column;
  for (int t = 0; t < levels; ++t) column.insert(column.end(), {t, (t + 1) % levels});
  const EffectRows rows(problem, {levels, 2, column.data()}, context);
  CHECK(SparseEffectSystem(rows, work).is_affordable());
  for (const double less : {work - 1.0, levels - 1.0}) CHECK_FALSE(SparseEffectSystem(rows, less).is_affordable());
}

TEST_CASE("where effects have no factor the row is named whose entries are the largest") {
  const Data data(uniform_cloud(150, 2, 7), 3);
  Effects effects(data);
  const NeighborTable neighbors = neighbors_before(data, 5);
  const LocalProblem problem(data.view(), neighbors, {}, context);
  EffectsLikelihood likelihood(problem, effects.view(), 1e9, unlimited, false, context);
  REQUIRE(likelihood.is_affordable());
  for (const double large : {1e200, unlimited}) {
    effects.value[77 * Effects::slots] = large;
    CHECK(likelihood.evaluate(field(0.8, 0.3, 0.2), effects.value.data(), context).failed == 77);
  }
}

TEST_CASE("with effects integrated out the derivative is that of differences") {
  const Data data(uniform_cloud(150, 2, 7), 3);
  const Effects effects(data);
  const NeighborTable neighbors = neighbors_before(data, 5);
  const LocalProblem problem(data.view(), neighbors, {}, context);
  EffectsLikelihood likelihood(problem, effects.view(), 1e9, unlimited, false, context);
  REQUIRE(likelihood.is_affordable());
  Eigen::MatrixXd contrasts(3, 2);
  contrasts << 1.0, 0.0, -0.3, 0.7, 0.2, -0.4;
  const auto objective = [&](const std::vector<double>& log_parameters) {
    const EffectSums sums = likelihood.evaluate(
        field(std::exp(log_parameters[0]), std::exp(log_parameters[1]), std::exp(log_parameters[2])),
        effects.value.data(), context);
    REQUIRE(sums.failed == -1);
    const Eigen::Map<const Eigen::MatrixXd> gram(sums.gram.data(), 3, 3);
    return sums.log_det + (contrasts.transpose() * gram * contrasts).trace();
  };
  const std::vector<double> at{std::log(0.8), std::log(0.3), std::log(0.2)};
  objective(at);
  const std::vector<double> gradient = likelihood.derivatives(contrasts, context).gradient;
  const std::vector<int> parameter{0, 1, int(gradient.size()) - 1};
  for (int a = 0; a < 3; ++a) {
    std::vector<double> above = at, below = at;
    above[a] += 1e-5;
    below[a] -= 1e-5;
    CHECK(gradient[parameter[a]] == doctest::Approx((objective(above) - objective(below)) / 2e-5).epsilon(1e-6));
  }
}
