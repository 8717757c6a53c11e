// A latent model with dense matrices, written without the code under test. The prior precision comes from the
// conditional densities, and the optimal Gaussian posterior from damped fixed-point steps. Poisson and Gaussian
// expectations are computed in closed form.
#pragma once

#include <Eigen/Dense>
#include <vector>

#include "core_fixtures.h"
#include "latent/latent_model.h"
#include "likelihoods/latent_response.h"

namespace reference {

using Eigen::MatrixXd;
using Eigen::VectorXd;

struct DenseLatent {
  MatrixXd precision;  // Q
  MatrixXd see;        // C: data x nodes
  VectorXd given;      // v
};

DenseLatent dense_latent(const neargp::LatentData& data, neargp::Covariance covariance);

struct DensePosterior {
  double value;
  VectorXd mean, beta, variance_at_data;
  MatrixXd covariance, trend_covariance;
};

// The family is Gaussian with this variance if `gaussian` is true, and otherwise Poisson.
DensePosterior dense_posterior(const DenseLatent& latent, const neargp::LatentResponse& response, bool gaussian,
                               double variance);

}  // namespace reference

namespace fixtures {

// Nodes at uniform locations. Data lie at nodes (some nodes with several, some with none) or, with `interpolate`,
// between them.
struct Latent {
  Cloud nodes, places;
  neargp::LatentData data;
  neargp::LatentResponse response;

  Latent(int node_count, int k, int datum_count, bool interpolate, neargp::ResponseFamily family, int seed);
};

neargp::Covariance latent_covariance(double variance, double range);

}  // namespace fixtures
