#include "latent/evidence_bound.h"

#include <doctest/doctest.h>

#include <cmath>

#include "latent_reference.h"

using namespace neargp;
using namespace fixtures;
using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

// KL[N(mean, covariance) || N(0, precision^-1)], as it is written in textbooks.
double divergence(const VectorXd& mean, const MatrixXd& covariance, const MatrixXd& precision) {
  const double log_det_ratio = -std::log(precision.determinant()) - std::log(covariance.determinant());
  return 0.5 * ((precision * covariance).trace() - double(mean.size()) + mean.dot(precision * mean) + log_det_ratio);
}

}  // namespace

TEST_CASE("the evidence bound is the expected log-likelihood minus the divergence from the prior, at any posterior") {
  const RunContext context;
  for (const bool interpolate : {false, true}) {
    CAPTURE(interpolate);
    const int n = 25, m = 20;
    const Latent latent(m, 6, n, interpolate, ResponseFamily::poisson, 3);
    LatentModel model(latent.data, context);
    model.set_covariance(latent_covariance(0.8, 0.3), context);
    std::vector<double> precision(n), mean(m);
    for (int i = 0; i < n; ++i) precision[i] = 0.5 + 0.1 * i;
    for (int j = 0; j < m; ++j) mean[j] = std::sin(1.0 + j);
    PosteriorFactor factor(model, PosteriorKind::sparse, {true, INFINITY}, context);
    factor.set_prior();
    REQUIRE(factor.factorize(precision, context));

    const reference::DenseLatent dense = reference::dense_latent(latent.data, latent_covariance(0.8, 0.3));
    const VectorXd w = Eigen::Map<const VectorXd>(precision.data(), n), at = Eigen::Map<const VectorXd>(mean.data(), m);
    const MatrixXd posterior = dense.precision + dense.see.transpose() * w.asDiagonal() * dense.see;
    const std::vector<double> by_node = model.from_caller(mean);
    CHECK(evidence_bound(1.7, model, factor, precision, by_node) ==
          doctest::Approx(1.7 - divergence(at, posterior.inverse(), dense.precision)).epsilon(1e-9));
    const double joint = 1.7 - 0.5 * at.dot(dense.precision * at);
    CHECK(log_joint_density(1.7, model, by_node) == doctest::Approx(joint).epsilon(1e-9));
    const double log_det_ratio = std::log(dense.precision.determinant()) - std::log(posterior.determinant());
    CHECK(laplace_evidence(joint, model, factor) == doctest::Approx(joint + 0.5 * log_det_ratio).epsilon(1e-9));
  }
}
