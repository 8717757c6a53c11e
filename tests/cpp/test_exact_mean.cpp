// The exact mean by conjugate gradients against dense matrices.
#include "variational/exact_mean.h"

#include <Eigen/Cholesky>

#include "inducing_fixtures.h"

using namespace neargp;
using namespace fixtures;
using Eigen::MatrixXd;

namespace {

Covariance smooth() { return {{component(Family::matern, 1.3, {0.4}, {0, 0}, 1.5)}, 0.07, {}}; }

MatrixXd dense_solution(const Data& data, const Covariance& covariance) {
  const Points points = data.cloud.view();
  Covariance noise_free = covariance;
  noise_free.nugget = 0.0;
  MatrixXd K = reference::cross_covariance(noise_free, points, points);
  for (Index i = 0; i < points.n; ++i) K(i, i) += covariance.nugget * data.noise_scale[std::size_t(i)];
  const MatrixXd columns = Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>(
      data.values.data(), points.n, data.columns);
  return K.llt().solve(columns);
}

}  // namespace

TEST_CASE("conjugate gradients reach the dense solution, and do so in one step with an inducing point at each row") {
  const Data data(uniform_cloud(140, 2, 3), 3);
  const Covariance covariance = smooth();
  const MatrixXd expected = dense_solution(data, covariance);
  const Cloud few = uniform_cloud(12, 2, 5);
  ExactMeanSettings settings;
  settings.tolerance = 1e-12;
  settings.jitter = 1e-10;
  settings.max_iterations = 300;
  for (const Cloud& inducing : {few, data.cloud}) {
    const ExactMean found = exact_mean(regression(data), inducing.view(), covariance, settings, with_threads(1));
    CHECK(found.failure == BoundFailure::none);
    CHECK(found.residual <= 1e-12);
    CHECK((found.solved - expected).norm() < 1e-9 * expected.norm());
    if (inducing.view().n == 140) CHECK(found.iterations <= 3);
  }
}

TEST_CASE("an exact mean that is not reached says how far it is") {
  const Data data(uniform_cloud(140, 2, 3), 3);
  const Cloud inducing = uniform_cloud(3, 2, 5);
  ExactMeanSettings settings;
  settings.tolerance = 1e-12;
  settings.max_iterations = 2;
  const ExactMean found = exact_mean(regression(data), inducing.view(), smooth(), settings, with_threads(1));
  CHECK(found.iterations == 2);
  CHECK(found.residual > 1e-12);
}

TEST_CASE("the exact mean depends neither on threads nor, at a target, on the other targets") {
  const Data data(uniform_cloud(300, 2, 3), 3);
  const Cloud inducing = uniform_cloud(9, 2, 5), targets = uniform_cloud(70, 2, 6);
  const ExactMean one = exact_mean(regression(data), inducing.view(), smooth(), {}, with_threads(1));
  const ExactMean four = exact_mean(regression(data), inducing.view(), smooth(), {}, with_threads(4));
  CHECK(one.solved == four.solved);
  const MatrixXd all = exact_mean_at(targets.view(), data.cloud.view(), one.solved, smooth(), with_threads(4));
  for (const Index i : {0, 13, 69}) {
    const Points alone{targets.view()[i], 1, 2};
    CHECK(exact_mean_at(alone, data.cloud.view(), one.solved, smooth(), with_threads(1)).row(0) == all.row(i));
  }
}
