#include <doctest/doctest.h>

#include <Eigen/Cholesky>
#include <cmath>

#include "base/error.h"
#include "core_fixtures.h"
#include "response/conditional_simulation.h"
#include "response/exact_gp.h"

using namespace neargp;
using namespace fixtures;

namespace {

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

// Given the data the field is linear in the normals: field = mean + A z, and A A' is its covariance.
TEST_CASE("conditional simulation has the mean and covariance of the conditional distribution") {
  for (const Model& model : structures()) {
    CAPTURE(model.name);
    const int n = 12, m = 9;
    const Data data(uniform_cloud(n, model.dim), 1);
    const Cloud targets = uniform_cloud(m, model.dim, 99);
    const std::vector<int> order = shuffled(m);
    const NeighborTable table = nearest_joint(data.cloud.view(), targets.view(), order, n + m - 1, with_threads(1));
    // All draws use the same data. Draw 0 takes zeros as normals, and draw s the unit vector of normal s - 1.
    Data repeated = data;
    repeated.columns = m + 1;
    repeated.values.clear();
    for (const double value : data.values) repeated.values.insert(repeated.values.end(), m + 1, value);
    std::vector<double> normals(std::size_t(m) * (m + 1), 0.0);
    for (int s = 0; s < m; ++s) normals[std::size_t(s) * (m + 1) + s + 1] = 1.0;
    const Conditional expected = conditional_distribution(data, targets, model.covariance);
    const auto check = [&](const Simulation& simulation) {
      CHECK(simulation.failed == -1);
      CHECK(simulation.jitter == 0.0);
      Eigen::MatrixXd a(m, m);
      Eigen::VectorXd mean(m);
      for (int j = 0; j < m; ++j) {
        mean[j] = simulation.field[std::size_t(j) * (m + 1)];
        for (int s = 0; s < m; ++s) a(j, s) = simulation.field[std::size_t(j) * (m + 1) + s + 1] - mean[j];
      }
      CHECK(difference(mean, expected.mean) < 1e-8);
      CHECK(difference(a * a.transpose(), expected.covariance) < 1e-8);
    };
    with_each_instruction_set([&] {
      check(simulate_conditional(repeated.view(), targets.view(), order, table, model.covariance, normals.data(),
                                 with_threads(2)));
    });
    check(exact_simulate(repeated.view(), targets.view(), model.covariance, normals.data(), with_threads(2)));
  }
}

// Without data field = A z, and A A' is the covariance matrix with the jitter on its diagonal.
TEST_CASE("where rounding makes a smooth covariance matrix singular, jitter is added and told") {
  const int m = 60;
  const Cloud targets = uniform_cloud(m, 2, 99);
  const Covariance smooth{{component(Family::gaussian, 1.5, {2.0}, {0, 0})}, 0.0, {}};
  const std::vector<int> order = shuffled(m);
  const Data none(Cloud{{}, 2}, m);
  const NeighborTable table = nearest_joint(none.cloud.view(), targets.view(), order, m - 1, with_threads(1));
  std::vector<double> normals(std::size_t(m) * m, 0.0);
  for (int s = 0; s < m; ++s) normals[std::size_t(s) * m + s] = 1.0;
  const auto check = [&](const Simulation& simulation) {
    REQUIRE(simulation.failed == -1);
    CHECK(simulation.jitter == 1e-10);
    const Eigen::Map<const Eigen::MatrixXd> transposed(simulation.field.data(), m, m);
    CHECK(difference(transposed.transpose() * transposed,
                     reference::cross_covariance(smooth, targets.view(), targets.view())) < 1e-6);
  };
  with_each_instruction_set([&] {
    check(simulate_conditional(none.view(), targets.view(), order, table, smooth, normals.data(), with_threads(2)));
  });
  check(exact_simulate(none.view(), targets.view(), smooth, normals.data(), with_threads(2)));
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
  const std::vector<double> field =
      simulate_conditional(repeated.view(), targets.view(), order, table, covariance, normals.data(), with_threads(1))
          .field;
  const Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>> drawn(field.data(), m,
                                                                                                       draws);
  const Eigen::VectorXd mean = drawn.rowwise().mean();
  const Eigen::MatrixXd centered = drawn.colwise() - mean;
  const Eigen::MatrixXd spread = centered * centered.transpose() / draws;
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
  const std::vector<double> field =
      simulate_conditional(none.view(), targets.view(), order, table, covariance, normals.data(), with_threads(1))
          .field;
  CHECK(field[std::size_t(order[0])] == doctest::Approx(std::sqrt(1.1)).epsilon(1e-12));

  const Data data(targets, 1);
  covariance.nugget = 0.0;
  const NeighborTable joint = nearest_joint(data.cloud.view(), targets.view(), order, 3, with_threads(1));
  NeighborTable data_only = joint;
  for (Index j = 0; j < m; ++j) {
    data_only[j][0] = int(j);
    data_only[j][1] = data_only[j][2] = -1;
  }
  const std::vector<double> at_data =
      simulate_conditional(data.view(), targets.view(), order, data_only, covariance, normals.data(), with_threads(1))
          .field;
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
                                normals.data(), with_threads(threads))
        .field;
  };
  with_each_instruction_set([&] {
    const std::vector<double> one = simulated(1);
    for (const int threads : {2, 4}) CHECK(simulated(threads) == one);
  });
}
