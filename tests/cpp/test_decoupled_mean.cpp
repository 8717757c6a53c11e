// The mean on inducing points against dense matrices, and against that of svgp's bound.
#include "variational/decoupled_mean.h"

#include <Eigen/Cholesky>

#include "mean_fixtures.h"
#include "variational/exact_mean.h"

using namespace neargp;
using namespace fixtures;
using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

Cloud both(const Cloud& first, const Cloud& second) {
  Cloud joined = first;
  joined.coords.insert(joined.coords.end(), second.coords.begin(), second.coords.end());
  return joined;
}

MatrixXd dense_cross(const Cloud& a, const Cloud& b) {
  Covariance covariance = smooth_covariance();
  covariance.nugget = 0.0;
  return reference::cross_covariance(covariance, a.view(), b.view());
}

constexpr double jitter = 1e-6;

MatrixXd dense_prior(const Cloud& points) {
  MatrixXd K = dense_cross(points, points);
  K.diagonal().array() += jitter * 1.3;
  return K;
}

}  // namespace

TEST_CASE("on points the equations are those of all rows with what the points have of the covariance matrix") {
  const Data data(uniform_cloud(120, 2, 3), 3);
  const Cloud points = both(uniform_cloud(9, 2, 5), uniform_cloud(25, 2, 6));
  MeanEquations equations = mean_equations(data);
  equations.precision.head(10).setZero();
  const MatrixXd cross = dense_cross(points, data.cloud);
  const MatrixXd K = cross.transpose() * dense_prior(points).llt().solve(cross);
  check_solves(equations, K, decoupled_mean(equations, points.view(), smooth_covariance(), jitter, with_threads(1)),
               1e-9);
}

TEST_CASE("coefficients of the mean's own points are those of the orthogonal basis' Schur complement") {
  const Data data(uniform_cloud(120, 2, 3), 3);
  const Cloud inducing = uniform_cloud(9, 2, 5), own = uniform_cloud(25, 2, 6), points = both(inducing, own);
  const Covariance covariance = smooth_covariance();
  MeanEquations equations = mean_equations(data);
  equations.natural.resize(120, 0);
  const MeanSolution found = decoupled_mean(equations, points.view(), covariance, jitter, with_threads(1));
  const MatrixXd weights =
      point_weights(data.cloud.view(), found.solved, points.view(), covariance, jitter, with_threads(1)).weights;

  const MatrixXd K_zx = dense_cross(inducing, data.cloud), K_zg = dense_cross(inducing, own);
  const Eigen::LLT<MatrixXd> prior(dense_prior(inducing));
  const MatrixXd A = prior.matrixL().solve(K_zx), A_g = prior.matrixL().solve(K_zg);
  const MatrixXd R_gg = dense_prior(own) - A_g.transpose() * A_g,
                 R_gx = dense_cross(own, data.cloud) - A_g.transpose() * A;
  const MatrixXd W = equations.precision.asDiagonal();
  const MatrixXd B = MatrixXd::Identity(9, 9) + A * W * A.transpose();
  const MatrixXd P = W - W * A.transpose() * B.llt().solve(A * W);
  const MatrixXd a = (R_gg + R_gx * P * R_gx.transpose()).llt().solve(R_gx * P * equations.values);
  CHECK((weights.bottomRows(25) - a).norm() < 1e-7 * a.norm());
  const MatrixXd m = B.llt().solve(A * W * (equations.values - R_gx.transpose() * a));
  CHECK((found.field - A.transpose() * m - R_gx.transpose() * a).norm() < 1e-9 * found.field.norm());
  CHECK((exact_mean_at(data.cloud.view(), points.view(), weights, covariance, with_threads(1)) - found.field).norm() <
        1e-8 * found.field.norm());
}

TEST_CASE("without points of its own the mean is that of the bound") {
  const Data data(uniform_cloud(120, 2, 3), 3);
  const Cloud inducing = uniform_cloud(9, 2, 5);
  MeanEquations equations = mean_equations(data);
  MatrixXd all(120, 3);
  all << equations.natural, equations.values;
  equations.natural.resize(120, 0);
  equations.values = all;
  const CollapsedBound bound =
      collapsed_bound(regression(data), inducing.view(), smooth_covariance(), {}, false, with_threads(1));
  const MatrixXd A = Eigen::LLT<MatrixXd>(dense_prior(inducing)).matrixL().solve(dense_cross(inducing, data.cloud));
  const MeanSolution found = decoupled_mean(equations, inducing.view(), smooth_covariance(), jitter, with_threads(1));
  CHECK((found.field - A.transpose() * bound.weights).norm() < 1e-9 * found.field.norm());
}

// KL of N(mean, S) and N(0, K) at Z and G together, where the mean is that of both and S that of Z with the prior given
// it.
TEST_CASE("the divergence is that of the gaussian vectors at the points of covariance and mean") {
  const Data data(uniform_cloud(60, 2, 3), 3);
  const Cloud inducing = uniform_cloud(6, 2, 5), own = uniform_cloud(8, 2, 6), points = both(inducing, own);
  const Covariance covariance = smooth_covariance();
  MeanEquations equations = mean_equations(data);
  equations.natural.resize(60, 0);
  equations.values = equations.values.leftCols(1).eval();
  const MeanSolution found = decoupled_mean(equations, points.view(), covariance, jitter, with_threads(1));
  const CollapsedBound bound =
      collapsed_bound(regression(data), inducing.view(), covariance, {}, false, with_threads(1));

  const MatrixXd K = dense_prior(points);
  const MatrixXd lower = Eigen::LLT<MatrixXd>(dense_prior(inducing)).matrixL();
  MatrixXd A(6, 14);
  A << lower.transpose(), Eigen::LLT<MatrixXd>(dense_prior(inducing)).matrixL().solve(dense_cross(inducing, own));
  const MatrixXd factor = bound.factor.triangularView<Eigen::Lower>();
  const MatrixXd S = (factor * factor.transpose()).inverse();
  const MatrixXd posterior = K - A.transpose() * A + A.transpose() * S * A;
  const VectorXd mean =
      K * point_weights(data.cloud.view(), found.solved, points.view(), covariance, jitter, with_threads(1)).weights;
  const Eigen::LLT<MatrixXd> prior(K), after(posterior);
  const auto log_det = [](const Eigen::LLT<MatrixXd>& of) {
    return 2.0 * of.matrixLLT().diagonal().array().log().sum();
  };
  const double dense =
      0.5 * (prior.solve(posterior).trace() + mean.dot(prior.solve(mean)) - 14.0 + log_det(prior) - log_det(after));
  const double by_parts =
      0.5 * (found.solved.cwiseProduct(found.field).sum() + S.trace() - 6.0 - std::log(S.determinant()));
  CHECK(by_parts == doctest::Approx(dense).epsilon(1e-6));
}

TEST_CASE("the mean on points does not depend on threads") {
  const Data data(uniform_cloud(3000, 2, 3), 3);
  const Cloud points = uniform_cloud(30, 2, 5);
  const MeanEquations equations = mean_equations(data);
  const MeanSolution one = decoupled_mean(equations, points.view(), smooth_covariance(), jitter, with_threads(1));
  const MeanSolution four = decoupled_mean(equations, points.view(), smooth_covariance(), jitter, with_threads(4));
  CHECK(one.solved == four.solved);
  const auto weights = [&](int threads) {
    return point_weights(data.cloud.view(), one.solved, points.view(), smooth_covariance(), jitter,
                         with_threads(threads))
        .weights;
  };
  CHECK(weights(1) == weights(4));
}
