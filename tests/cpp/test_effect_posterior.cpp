#include <doctest/doctest.h>

#include <Eigen/Dense>
#include <cmath>

#include "latent/sparse_posterior.h"
#include "latent_reference.h"

using namespace neargp;
using namespace fixtures;

namespace {

const RunContext context;
constexpr PosteriorSettings tight{1e-12, 300};
constexpr int effects = 2;

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

PosteriorOutcome fitted(const Latent& latent, const Likelihood& likelihood, PosteriorKind kind, bool exact) {
  LatentModel model(latent.data, context);
  model.set_covariance(latent_covariance(0.8, 0.3), context);
  SparsePosterior posterior(model, latent.response, kind, {exact, INFINITY}, context, effects);
  return posterior.fit(posterior.start(std::vector<double>(latent.response.y.size(), 0.1), likelihood, context),
                       likelihood, tight, true, context);
}

}  // namespace

TEST_CASE("with random effects the bound of a gaussian response is its log density") {
  Latent latent(35, 34, 60, false, ResponseFamily::gaussian, 4);
  latent.response.weights.assign(60, 1.0);
  const double noise = 0.2;
  const reference::DenseLatent dense = reference::dense_latent(latent.data, latent_covariance(0.8, 0.3));
  const int p = latent.response.coefficients;
  const Eigen::MatrixXd design = Eigen::Map<const RowMajor>(latent.response.design.data(), 60, p);
  const Eigen::MatrixXd X = design.leftCols(p - effects), E = design.rightCols(effects);
  Eigen::MatrixXd V = dense.see * dense.precision.inverse() * dense.see.transpose() + E * E.transpose();
  V.diagonal().array() += noise;
  Eigen::VectorXd y(60);
  for (int i = 0; i < 60; ++i) y[i] = latent.response.y[i] - latent.response.offset[i];
  const Eigen::MatrixXd Q = V.inverse();
  Eigen::VectorXd beta(0), e = y;
  if (X.cols() > 0) {
    beta = (X.transpose() * Q * X).ldlt().solve(X.transpose() * Q * y);
    e -= X * beta;
  }
  const Eigen::VectorXd pivots = V.ldlt().vectorD();
  const double log_density =
      -0.5 * (60.0 * std::log(2.0 * std::acos(-1.0)) + pivots.array().log().sum() + e.dot(Q * e));
  for (const bool exact : {true, false}) {
    const Likelihood gaussian{ResponseFamily::gaussian, {noise}};
    CHECK(fitted(latent, gaussian, PosteriorKind::sparse, exact).value == doctest::Approx(log_density).epsilon(1e-9));
  }
}

TEST_CASE("the gradient in the columns of random effects is that of differences") {
  Latent latent(30, 10, 50, false, ResponseFamily::poisson, 9);
  const Likelihood poisson{ResponseFamily::poisson, {}};
  const int p = latent.response.coefficients;
  for (const PosteriorKind kind : {PosteriorKind::sparse, PosteriorKind::laplace}) {
    CAPTURE(int(kind));
    const Eigen::MatrixXd gradient = fitted(latent, poisson, kind, true).gradient.design;
    REQUIRE(gradient.rows() == 50);
    REQUIRE(gradient.cols() == effects);
    for (const int row : {0, 17, 49})
      for (int c = 0; c < effects; ++c) {
        double& entry = latent.response.design[row * p + p - effects + c];
        const double held = entry, step = 1e-4;
        entry = held + step;
        const double above = fitted(latent, poisson, kind, true).value;
        entry = held - step;
        const double below = fitted(latent, poisson, kind, true).value;
        entry = held;
        CHECK(gradient(row, c) == doctest::Approx((above - below) / (2.0 * step)).epsilon(1e-5));
      }
  }
}

TEST_CASE("random effects are refused where the posterior does not know how they vary with the field") {
  const Latent nodes_apart(20, 5, 30, true, ResponseFamily::poisson, 3);
  LatentModel model(nodes_apart.data, context);
  CHECK_THROWS(SparsePosterior(model, nodes_apart.response, PosteriorKind::sparse, {}, context, effects));
  const Latent at_nodes(20, 5, 30, false, ResponseFamily::poisson, 3);
  LatentModel other(at_nodes.data, context);
  CHECK_THROWS(SparsePosterior(other, at_nodes.response, PosteriorKind::mean_field, {}, context, effects));
}
