#include <doctest/doctest.h>

#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include "inducing_fixtures.h"
#include "response/exact_gp.h"
#include "response/residual_leave_one_out.h"
#include "response/residual_neighbors.h"
#include "response/residual_simulation.h"
#include "response/residual_vecchia.h"

using namespace neargp;
using namespace fixtures;

namespace {

constexpr double jitter = 1e-6;

NeighborTable nearest(const Data& data, const Cloud& targets, int k) {
  return nearest_to(data.cloud.view(), targets.view(), k, RunContext{});
}

struct Fitted {
  Data data;
  Cloud inducing;
  NeighborTable neighbors;
  Covariance covariance;
  ResidualVecchia posterior;

  Fitted(const Model& model, int n, int k)
      : data(uniform_cloud(n, model.dim), 3), inducing(uniform_cloud(9, model.dim, 8)),
        neighbors(neighbors_before(data, k)), covariance(model.covariance),
        posterior(
            residual_vecchia(regression(data), inducing.view(), neighbors, covariance, jitter, false, RunContext{})) {}

  LowRankPosterior low_rank() const { return {inducing.view(), jitter, posterior.weights, posterior.factor}; }
  ResidualPrediction predict(Points targets, const NeighborTable& candidates, int k, int threads = 1) const {
    return residual_prediction(regression(data), targets, candidates, k,
                               InducingPrior(inducing.view(), covariance, jitter), posterior.weights, posterior.factor,
                               with_threads(threads));
  }
};

}  // namespace

TEST_CASE("with all rows for neighbours predictions are exact, for every covariance") {
  for (const Model& model : all_models()) {
    CAPTURE(model.name);
    const Fitted fit(model, 30, 29);
    const Cloud targets = uniform_cloud(7, model.dim, 5);
    const ResidualPrediction result = fit.predict(targets.view(), nearest(fit.data, targets, 30), 30);
    const Kriging expected = exact_krige(fit.data.view(), targets.view(), model.covariance, RunContext{});
    REQUIRE(result.failed_row == -1);
    for (Index t = 0; t < 7; ++t) {
      CHECK(result.variance[t] == doctest::Approx(expected.variance[std::size_t(t)]).epsilon(1e-8));
      for (int c = 0; c < 3; ++c)
        CHECK(result.weighted(t, c) == doctest::Approx(expected.weighted[std::size_t(3 * t + c)]).epsilon(1e-8));
    }
  }
}

TEST_CASE("a prediction depends neither on other targets nor on threads") {
  const Fitted fit(structures().front(), 200, 6);
  const Cloud targets = uniform_cloud(300, fit.data.cloud.dim, 5);
  const NeighborTable candidates = nearest(fit.data, targets, 20);
  const ResidualPrediction all = fit.predict(targets.view(), candidates, 6);
  const ResidualPrediction threaded = fit.predict(targets.view(), candidates, 6, 4);
  CHECK(threaded.weighted == all.weighted);
  CHECK(threaded.variance == all.variance);
  for (const Index t : {0, 127, 128, 299}) {
    NeighborTable own(1, candidates.k);
    std::copy_n(candidates[t], candidates.k, own[0]);
    const ResidualPrediction one = fit.predict({targets.view()[t], 1, targets.dim}, own, 6);
    CHECK(one.weighted.row(0) == all.weighted.row(t));
    CHECK(one.variance[0] == all.variance[t]);
  }
}

TEST_CASE("neighbours are the candidates of the largest residual correlation") {
  const Model model = families().front();
  const Data data(uniform_cloud(60, 2), 1);
  const Cloud inducing = uniform_cloud(5, 2, 8);
  const NeighborTable candidates = neighbors_before(data, 20);
  const NeighborTable chosen =
      residual_neighbors(data.cloud.view(), inducing.view(), candidates, 4, model.covariance, jitter, RunContext{})
          .neighbors;
  Eigen::MatrixXd prior = reference::cross_covariance(model.covariance, inducing.view(), inducing.view());
  prior.diagonal().array() += jitter * prior(0, 0);
  const Eigen::MatrixXd cross = reference::cross_covariance(model.covariance, inducing.view(), data.cloud.view());
  const Eigen::MatrixXd rest = reference::cross_covariance(model.covariance, data.cloud.view(), data.cloud.view()) -
                               cross.transpose() * prior.inverse() * cross;
  for (Index i = 0; i < 60; ++i) {
    std::vector<int> sorted = reference::conditioning_set(candidates, i);
    std::stable_sort(sorted.begin(), sorted.end(), [&](int a, int b) {
      return std::abs(rest(i, a)) / std::sqrt(rest(a, a)) > std::abs(rest(i, b)) / std::sqrt(rest(b, b));
    });
    sorted.resize(std::min<std::size_t>(sorted.size(), 4));
    std::vector<int> own = reference::conditioning_set(chosen, i);
    if (own.size() < 4) std::sort(own.begin(), own.end()), std::sort(sorted.begin(), sorted.end());
    CHECK(own == sorted);
  }
}

TEST_CASE("rows are predicted from all others by the inverse of the likelihood's covariance matrix") {
  const Fitted fit(families().front(), 30, 29);
  const ResidualLeaveOneOut result =
      residual_leave_one_out(regression(fit.data), fit.neighbors, fit.covariance, fit.low_rank(), RunContext{});
  const Eigen::MatrixXd precision = reference::noisy_covariance(fit.covariance, fit.data.view()).inverse();
  const Eigen::MatrixXd values = reference::values_of(fit.data.view());
  for (Index i = 0; i < 30; ++i) CHECK(result.variance[i] == doctest::Approx(1.0 / precision(i, i)).epsilon(1e-8));
  const Eigen::MatrixXd expected = values - precision.diagonal().cwiseInverse().asDiagonal() * (precision * values);
  CHECK(difference(result.weighted, expected) < 1e-8);
}

TEST_CASE("with all rows for neighbours draws are the means of predictions where nothing is random") {
  const Fitted fit(families().front(), 30, 29);
  const Cloud targets = uniform_cloud(4, 2, 5);
  NeighborTable neighbors(4, 30);
  for (Index t = 0; t < 4; ++t)
    for (int a = 0; a < 30; ++a) neighbors[t][a] = a;
  const std::vector<double> normals(4 * 3, 0.0);
  const Simulation drawn =
      simulate_residual(regression(fit.data), targets.view(), {2, 0, 3, 1}, neighbors, fit.covariance,
                        {fit.inducing.view(), jitter, fit.posterior.weights}, normals.data(), RunContext{});
  const ResidualPrediction expected = fit.predict(targets.view(), nearest(fit.data, targets, 30), 30);
  REQUIRE(drawn.failed == -1);
  for (Index t = 0; t < 4; ++t)
    for (int c = 0; c < 3; ++c)
      CHECK(drawn.field[std::size_t(3 * t + c)] == doctest::Approx(expected.weighted(t, c)).epsilon(1e-9));
}
