#include <doctest/doctest.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "core_fixtures.h"
#include "extended.h"
#include "response/kriging.h"

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

TEST_CASE("with a taper, kriging is the mean of what the nearest 1, 2, ... neighbours say") {
  for (const Model& model : structures()) {
    CAPTURE(model.name);
    const Data data(uniform_cloud(25, model.dim), 3);
    const Cloud targets = uniform_cloud(11, model.dim, 99);
    const int k = 6;
    const NeighborTable table = nearest_to(data.cloud.view(), targets.view(), k, with_threads(1));
    std::vector<double> taper(std::size_t(11 * k));
    for (Index t = 0; t < 11; ++t)
      for (int m = 0; m < k; ++m) taper[std::size_t(t * k + m)] = m < 3 ? 1.0 : (k - m - 0.05 * double(t)) / (k - 2.0);
    for (const bool local_mean : {false, true})
      with_each_instruction_set([&] {
        const Kriging smooth = krige(data.view(), targets.view(), table, model.covariance, local_mean, with_threads(1),
                                     nullptr, nullptr, taper.data());
        std::vector<double> weighted(11 * 3), variance(11);
        for (int j = 1; j <= k; ++j) {
          NeighborTable nearest = table;
          for (Index t = 0; t < 11; ++t)
            for (int m = j; m < k; ++m) nearest[t][m] = -1;
          const Kriging part =
              krige(data.view(), targets.view(), nearest, model.covariance, local_mean, with_threads(1));
          for (std::size_t t = 0; t < 11; ++t) {
            const double weight = taper[t * k + j - 1] - (j < k ? taper[t * k + j] : 0.0);
            for (std::size_t c = 0; c < 3; ++c) weighted[t * 3 + c] += weight * part.weighted[t * 3 + c];
            variance[t] += weight * part.variance[t];
          }
        }
        for (std::size_t i = 0; i < 33; ++i) CHECK(smooth.weighted[i] == doctest::Approx(weighted[i]).epsilon(1e-9));
        for (std::size_t t = 0; t < 11; ++t) CHECK(smooth.variance[t] == doctest::Approx(variance[t]).epsilon(1e-9));
      });
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

TEST_CASE("predictions from hundreds of neighbours" * extended) {
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
  with_each_instruction_set(
      [&] { CHECK(krige(data.view(), targets.view(), table, covariance, true, with_threads(1)).failed == expected); });
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

TEST_CASE("a predictor that is asked again and again gives what one for each question gives") {
  for (const Model& model : all_models()) {
    CAPTURE(model.name);
    const Data data(uniform_cloud(25, model.dim), 3);
    const KrigingPredictor predictor(data.view(), model.covariance);
    for (const int seed : {98, 99}) {
      const Cloud targets = uniform_cloud(11, model.dim, seed);
      const NeighborTable table = nearest_to(data.cloud.view(), targets.view(), 8, with_threads(1));
      for (const bool local_mean : {false, true}) {
        const Kriging once = krige(data.view(), targets.view(), table, model.covariance, local_mean, with_threads(1));
        const Kriging again = predictor.at(targets.view(), table, local_mean, with_threads(1));
        CHECK(again.weighted == once.weighted);
        CHECK(again.variance == once.variance);
        for (Index t = 0; t < table.n; ++t) {  // each target by itself
          NeighborTable own(1, table.k);
          std::copy_n(table[t], table.k, own[0]);
          const Kriging alone = predictor.at({targets.view()[t], 1, model.dim}, own, local_mean, with_threads(1));
          CHECK(alone.variance[0] == once.variance[t]);
          for (int c = 0; c < 3; ++c) CHECK(alone.weighted[c] == once.weighted[t * 3 + c]);
        }
      }
    }
  }
}
