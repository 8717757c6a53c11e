#include <doctest/doctest.h>

#include <Eigen/Cholesky>
#include <cmath>

#include "base/error.h"
#include "core_fixtures.h"
#include "methods/kriging.h"

using namespace neargp;
using namespace fixtures;

namespace {

void check_against_reference(const Data& data, const Cloud& targets, const NeighborTable& table,
                             const Covariance& covariance, bool local_mean) {
  with_each_instruction_set([&] {
    const Kriging kriging = krige(data.view(), targets.view(), table, covariance, local_mean, with_threads(1));
    CHECK(kriging.failed == -1);
    for (Index t = 0; t < table.n; ++t) {
      const auto expected = reference::krige(data.view(), reference::conditioning_set(table, t), targets.view()[t],
                                             covariance, local_mean);
      Eigen::VectorXd weighted = Eigen::VectorXd::Zero(data.columns);
      const std::vector<int> rows = reference::conditioning_set(table, t);
      for (std::size_t r = 0; r < rows.size(); ++r)
        for (int c = 0; c < data.columns; ++c)
          weighted[c] += expected.weights[Eigen::Index(r)] * data.values[std::size_t(rows[r] * data.columns + c)];
      for (int c = 0; c < data.columns; ++c)
        CHECK(std::abs(kriging.weighted[std::size_t(t * data.columns + c)] - weighted[c]) < 1e-9);
      CHECK(std::abs(kriging.variance[std::size_t(t)] - expected.variance) < 1e-10);
    }
  });
}

// The conditional distribution of the field at the targets given all data.
struct Conditional {
  Eigen::VectorXd mean;
  Eigen::MatrixXd covariance;
};

Conditional conditional_distribution(const Data& data, const Cloud& targets, const Covariance& model) {
  const Eigen::MatrixXd cross = reference::cross_covariance(model, data.cloud.view(), targets.view());
  const Eigen::LLT<Eigen::MatrixXd> factor(reference::noisy_covariance(model, data.view()));
  const Eigen::MatrixXd values = reference::values_of(data.view());
  return {cross.transpose() * factor.solve(values.col(0)),
          reference::cross_covariance(model, targets.view(), targets.view()) - cross.transpose() * factor.solve(cross)};
}

}  // namespace

TEST_CASE("kriging from conditioning sets solves the equations of simple and ordinary kriging") {
  for (const Model& model : all_models()) {
    CAPTURE(model.name);
    const Data data(uniform_cloud(25, model.dim), 3);
    const Cloud targets = uniform_cloud(11, model.dim, 99);
    const NeighborTable table = nearest_to(data.cloud.view(), targets.view(), 8, with_threads(1));
    for (const bool local_mean : {false, true})
      check_against_reference(data, targets, table, model.covariance, local_mean);
  }
}

TEST_CASE("with all data as neighbours, ordinary kriging is universal kriging with a constant") {
  const Data data(uniform_cloud(20, 2), 2);
  const Cloud targets = uniform_cloud(5, 2, 99);
  const Covariance covariance = structures()[2].covariance;
  const NeighborTable table = nearest_to(data.cloud.view(), targets.view(), 20, with_threads(1));
  const Kriging simple = krige(data.view(), targets.view(), table, covariance, false, with_threads(1));
  const Kriging ordinary = krige(data.view(), targets.view(), table, covariance, true, with_threads(1));
  const Eigen::MatrixXd values = reference::values_of(data.view());
  const Eigen::MatrixXd s = reference::noisy_covariance(covariance, data.view());
  const Eigen::VectorXd whitened = s.llt().solve(values.col(1));
  const double precision = whitened.sum();
  const double mean = whitened.dot(values.col(0)) / precision;
  for (std::size_t t = 0; t < 5; ++t) {
    const double unseen = 1.0 - simple.weighted[2 * t + 1];
    CHECK(ordinary.weighted[2 * t] == doctest::Approx(simple.weighted[2 * t] + unseen * mean).epsilon(1e-10));
    CHECK(ordinary.weighted[2 * t + 1] == doctest::Approx(1.0).epsilon(1e-12));
    CHECK(ordinary.variance[t] == doctest::Approx(simple.variance[t] + unseen * unseen / precision).epsilon(1e-10));
  }
}

TEST_CASE("any number of targets and neighbours, and rows padded at their end") {
  const Data data(uniform_cloud(100, 2), 2);
  const Covariance covariance = structures()[4].covariance;
  for (int m = 1; m <= 9; ++m)
    for (const int k : {1, 5, 70}) {
      const Cloud targets = uniform_cloud(m, 2, 99);
      NeighborTable table = nearest_to(data.cloud.view(), targets.view(), k, with_threads(1));
      for (const bool local_mean : {false, true}) check_against_reference(data, targets, table, covariance, local_mean);
      for (int r = 1; r < k; ++r) table[m - 1][r] = -1;
      for (const bool local_mean : {false, true}) check_against_reference(data, targets, table, covariance, local_mean);
    }
}

TEST_CASE("predictions from hundreds of neighbours") {
  const Data data(uniform_cloud(310, 2), 2);
  const Cloud targets = uniform_cloud(2, 2, 99);
  for (const int k : {200, 300}) {
    const NeighborTable table = nearest_to(data.cloud.view(), targets.view(), k, with_threads(1));
    for (const bool local_mean : {false, true})
      check_against_reference(data, targets, table, structures()[2].covariance, local_mean);
  }
}

TEST_CASE("without neighbours the prediction is the known mean; an unknown one is refused") {
  const Data data(uniform_cloud(5, 2), 2);
  const Cloud targets = uniform_cloud(3, 2, 99);
  const Covariance covariance = structures()[2].covariance;
  for (const int k : {0, 4}) {
    const NeighborTable none(3, k);
    const Kriging kriging = krige(data.view(), targets.view(), none, covariance, false, with_threads(1));
    CHECK(kriging.failed == -1);
    CHECK(kriging.weighted == std::vector<double>(6, 0.0));
    for (const double variance : kriging.variance) CHECK(variance == doctest::Approx(1.1).epsilon(1e-14));
    CHECK_THROWS_WITH_AS(krige(data.view(), targets.view(), none, covariance, true, with_threads(1)),
                         "New location 1 has no neighbours from which its local mean could be found.", Error);
  }
}

TEST_CASE("without a nugget the field at a datum is the datum, with variance zero") {
  const Data data(uniform_cloud(30, 2), 1);
  const NeighborTable table = nearest_to(data.cloud.view(), data.cloud.view(), 6, with_threads(1));
  for (Model& model : all_models()) {
    if (model.dim != 2) continue;
    CAPTURE(model.name);
    model.covariance.nugget = 0.0;
    for (const bool local_mean : {false, true})
      with_each_instruction_set([&] {
        const Kriging kriging =
            krige(data.view(), data.cloud.view(), table, model.covariance, local_mean, with_threads(1));
        CHECK(kriging.failed == -1);
        for (std::size_t i = 0; i < 30; ++i) {
          CHECK(std::abs(kriging.weighted[i] - data.values[i]) < 1e-7);
          CHECK(kriging.variance[i] >= 0.0);
          CHECK(kriging.variance[i] < 1e-8);
        }
      });
  }
}

TEST_CASE("duplicated data without a nugget: the first location whose neighbours they are is named") {
  Data data(uniform_cloud(30, 2), 1);
  std::copy_n(data.cloud.coords.begin(), 2, data.cloud.coords.begin() + 2);
  const Cloud targets = uniform_cloud(40, 2, 99);
  const NeighborTable table = nearest_to(data.cloud.view(), targets.view(), 4, with_threads(1));
  Index expected = -1;
  for (Index t = 39; t >= 0; --t) {
    const std::vector<int> rows = reference::conditioning_set(table, t);
    if (std::count(rows.begin(), rows.end(), 0) + std::count(rows.begin(), rows.end(), 1) == 2) expected = t;
  }
  REQUIRE(expected >= 0);
  Covariance covariance = structures()[2].covariance;
  covariance.nugget = 0.0;
  with_each_instruction_set([&] {
    CHECK(krige(data.view(), targets.view(), table, covariance, true, with_threads(1)).failed == expected);
  });
}

TEST_CASE("kriging is the same for any number of threads, to the last bit") {
  const Data data(uniform_cloud(300, 2), 2);
  const Cloud targets = uniform_cloud(1100, 2, 99);
  const NeighborTable table = nearest_to(data.cloud.view(), targets.view(), 7, with_threads(1));
  const Covariance covariance = structures().back().covariance;
  with_each_instruction_set([&] {
    const Kriging one = krige(data.view(), targets.view(), table, covariance, true, with_threads(1));
    for (const int threads : {2, 4}) {
      const Kriging kriging = krige(data.view(), targets.view(), table, covariance, true, with_threads(threads));
      CHECK(kriging.weighted == one.weighted);
      CHECK(kriging.variance == one.variance);
    }
  });
}

TEST_CASE("simulation is the same for any number of threads, to the last bit") {
  const int m = 1100, draws = 2;
  const Data data(uniform_cloud(300, 2), draws);
  const Cloud targets = uniform_cloud(m, 2, 99);
  const std::vector<int> order = shuffled(m);
  const NeighborTable table = nearest_joint(data.cloud.view(), targets.view(), order, 7, with_threads(1));
  const Philox random(4);
  std::vector<double> normals(std::size_t(m) * draws);
  for (std::size_t i = 0; i < normals.size(); ++i) normals[i] = random.normal(i);
  const auto simulated = [&](int threads) {
    return simulate_conditional(data.view(), targets.view(), order, table, structures().back().covariance,
                                normals.data(), with_threads(threads));
  };
  with_each_instruction_set([&] {
    const std::vector<double> one = simulated(1);
    for (const int threads : {2, 4}) CHECK(simulated(threads) == one);
  });
}

TEST_CASE("arguments that do not fit together are refused") {
  const Data data(uniform_cloud(5, 2), 2);
  const Cloud targets = uniform_cloud(3, 2), solid = uniform_cloud(3, 3);
  const Covariance covariance = structures()[2].covariance;
  const RunContext context = with_threads(1);
  CHECK_THROWS_AS(krige(data.view(), targets.view(), NeighborTable(4, 2), covariance, false, context), Error);
  CHECK_THROWS_AS(krige(data.view(), solid.view(), NeighborTable(3, 2), covariance, false, context), Error);
  NeighborTable beyond(3, 2);
  beyond[2][1] = 5;
  CHECK_THROWS_AS(krige(data.view(), targets.view(), beyond, covariance, false, context), Error);
}

// Given the data the field is linear in the normals: field = mean + A z, and A A' is its covariance.
TEST_CASE("conditional simulation has the mean and covariance of the conditional distribution") {
  for (const Model& model : structures()) {
    CAPTURE(model.name);
    const int n = 12, m = 9;
    const Data data(uniform_cloud(n, model.dim), 1);
    const Cloud targets = uniform_cloud(m, model.dim, 99);
    const std::vector<int> order = shuffled(m);
    const NeighborTable table = nearest_joint(data.cloud.view(), targets.view(), order, n + m - 1, with_threads(1));
    // Draw 0 takes zeros, draw s the unit vector of normal s - 1; all have the same data.
    Data repeated = data;
    repeated.columns = m + 1;
    repeated.values.clear();
    for (const double value : data.values) repeated.values.insert(repeated.values.end(), m + 1, value);
    std::vector<double> normals(std::size_t(m) * (m + 1), 0.0);
    for (int s = 0; s < m; ++s) normals[std::size_t(s) * (m + 1) + s + 1] = 1.0;
    const Conditional expected = conditional_distribution(data, targets, model.covariance);
    with_each_instruction_set([&] {
      const std::vector<double> field = simulate_conditional(repeated.view(), targets.view(), order, table,
                                                             model.covariance, normals.data(), with_threads(2));
      Eigen::MatrixXd a(m, m);
      Eigen::VectorXd mean(m);
      for (int j = 0; j < m; ++j) {
        mean[j] = field[std::size_t(j) * (m + 1)];
        for (int s = 0; s < m; ++s) a(j, s) = field[std::size_t(j) * (m + 1) + s + 1] - mean[j];
      }
      CHECK(difference(mean, expected.mean) < 1e-8);
      CHECK(difference(a * a.transpose(), expected.covariance) < 1e-8);
    });
  }
}

TEST_CASE("many draws have moments close to the conditional ones") {
  const int n = 40, m = 6, draws = 20000;
  const Data data(uniform_cloud(n, 2), 1);
  const Cloud targets = uniform_cloud(m, 2, 99);
  const std::vector<int> order = shuffled(m);
  Data repeated = data;
  repeated.columns = draws;
  repeated.values.clear();
  for (const double value : data.values) repeated.values.insert(repeated.values.end(), draws, value);
  const Philox random(2);
  std::vector<double> normals(std::size_t(m) * draws);
  for (std::size_t i = 0; i < normals.size(); ++i) normals[i] = random.normal(i);
  const Covariance covariance{{component(Family::exponential, 1.2, {0.5}, {0, 0})}, 0.1, {}};
  const NeighborTable table = nearest_joint(data.cloud.view(), targets.view(), order, n + m - 1, with_threads(1));
  const std::vector<double> field = simulate_conditional(repeated.view(), targets.view(), order, table, covariance,
                                                         normals.data(), with_threads(1));
  const Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>> drawn(field.data(), m,
                                                                                                       draws);
  const Eigen::VectorXd mean = drawn.rowwise().mean();
  const Eigen::MatrixXd centred = drawn.colwise() - mean;
  const Eigen::MatrixXd spread = centred * centred.transpose() / draws;
  const Conditional expected = conditional_distribution(data, targets, covariance);
  for (int i = 0; i < m; ++i) {
    const double vi = expected.covariance(i, i);
    CHECK(std::abs(mean[i] - expected.mean[i]) < 5.0 * std::sqrt(vi / draws));
    for (int j = 0; j < m; ++j) {
      const double vj = expected.covariance(j, j), c = expected.covariance(i, j);
      CHECK(std::abs(spread(i, j) - c) < 5.0 * std::sqrt((vi * vj + c * c) / draws));
    }
  }
}

TEST_CASE("simulation without data, and at the data without a nugget") {
  const int m = 8;
  const Cloud targets = uniform_cloud(m, 2, 99);
  Covariance covariance = structures()[2].covariance;
  const std::vector<int> order = shuffled(m);
  const std::vector<double> normals(m, 1.0);
  const Data none(Cloud{{}, 2}, 1);
  const NeighborTable table = nearest_joint(none.cloud.view(), targets.view(), order, m - 1, with_threads(1));
  const std::vector<double> field = simulate_conditional(none.view(), targets.view(), order, table, covariance,
                                                         normals.data(), with_threads(1));
  CHECK(field[std::size_t(order[0])] == doctest::Approx(std::sqrt(1.1)).epsilon(1e-12));

  const Data data(targets, 1);
  covariance.nugget = 0.0;
  const NeighborTable joint = nearest_joint(data.cloud.view(), targets.view(), order, 3, with_threads(1));
  NeighborTable data_only = joint;
  for (Index j = 0; j < m; ++j) {
    data_only[j][0] = int(j);
    data_only[j][1] = data_only[j][2] = -1;
  }
  const std::vector<double> at_data = simulate_conditional(data.view(), targets.view(), order, data_only, covariance,
                                                           normals.data(), with_threads(1));
  for (int j = 0; j < m; ++j) CHECK(std::abs(at_data[j] - data.values[j]) < 1e-6);
}

TEST_CASE("a long simulation can be interrupted") {
  const int m = 1000, draws = 2500;
  const Data data(uniform_cloud(10, 2), draws);
  const Cloud targets = uniform_cloud(m, 2, 99);
  const std::vector<int> order = shuffled(m);
  const NeighborTable table = nearest_joint(data.cloud.view(), targets.view(), order, 5, with_threads(1));
  const std::vector<double> normals(std::size_t(m) * draws, 0.5);
  RunContext context = with_threads(1);
  context.check_interrupt = [] { throw Error("Interrupted."); };
  CHECK_THROWS_WITH_AS(simulate_conditional(data.view(), targets.view(), order, table, structures()[2].covariance,
                                            normals.data(), context),
                       "Interrupted.", Error);
}
