// The mean of all rows by conjugate gradients against dense matrices.
#include "variational/exact_mean.h"

#include "mean_fixtures.h"

using namespace neargp;
using namespace fixtures;
using Eigen::MatrixXd;

TEST_CASE("conjugate gradients reach the dense solution, and do so in one step with an inducing point at each row") {
  const Data data(uniform_cloud(140, 2, 3), 3);
  const Covariance covariance = smooth_covariance();
  const MatrixXd K = dense_matrix(data, covariance);
  const Cloud few = uniform_cloud(12, 2, 5);
  ExactMeanSettings settings;
  settings.tolerance = 1e-12;
  settings.jitter = 1e-10;
  settings.max_iterations = 300;
  for (const Cloud& inducing : {few, data.cloud}) {
    const MeanEquations equations = mean_equations(data);
    const MeanSolution found = exact_mean(equations, inducing.view(), covariance, settings, with_threads(1));
    CHECK(found.failure == BoundFailure::none);
    CHECK(found.residual <= 1e-12);
    check_solves(equations, K, found, 1e-9);
    if (inducing.view().n == 140) CHECK(found.iterations <= 3);
  }
}

TEST_CASE("rows of no precision have the coefficients that they are given") {
  const Data data(uniform_cloud(90, 2, 3), 3);
  const Covariance covariance = smooth_covariance();
  const Cloud inducing = uniform_cloud(12, 2, 5);
  ExactMeanSettings settings;
  settings.tolerance = 1e-12;
  settings.max_iterations = 300;
  MeanEquations equations = mean_equations(data);
  equations.precision.head(30).setZero();
  const MeanSolution found = exact_mean(equations, inducing.view(), covariance, settings, with_threads(1));
  check_solves(equations, dense_matrix(data, covariance), found, 1e-9);
  CHECK((found.solved.topLeftCorner(30, 1) - equations.natural.topRows(30)).norm() == 0.0);
}

TEST_CASE("an exact mean that is not reached says how far it is") {
  const Data data(uniform_cloud(140, 2, 3), 3);
  const Cloud inducing = uniform_cloud(3, 2, 5);
  ExactMeanSettings settings;
  settings.tolerance = 1e-12;
  settings.max_iterations = 2;
  const MeanSolution found =
      exact_mean(mean_equations(data), inducing.view(), smooth_covariance(), settings, with_threads(1));
  CHECK(found.iterations == 2);
  CHECK(found.residual > 1e-12);
}

TEST_CASE("the exact mean depends neither on threads nor, at a target, on the other targets") {
  const Data data(uniform_cloud(300, 2, 3), 3);
  const Cloud inducing = uniform_cloud(9, 2, 5), targets = uniform_cloud(70, 2, 6);
  const MeanEquations equations = mean_equations(data);
  const MeanSolution one = exact_mean(equations, inducing.view(), smooth_covariance(), {}, with_threads(1));
  const MeanSolution four = exact_mean(equations, inducing.view(), smooth_covariance(), {}, with_threads(4));
  CHECK(one.solved == four.solved);
  CHECK(one.field == four.field);
  const MatrixXd all =
      exact_mean_at(targets.view(), data.cloud.view(), one.solved, smooth_covariance(), with_threads(4));
  for (const Index i : {0, 13, 69}) {
    const Points alone{targets.view()[i], 1, 2};
    CHECK(exact_mean_at(alone, data.cloud.view(), one.solved, smooth_covariance(), with_threads(1)).row(0) ==
          all.row(i));
  }
}
