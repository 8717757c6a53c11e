// A latent model with dense matrices, written without the code under test: prior precision from the conditional
// densities, the optimal Gaussian posterior by damped fixed-point steps, Poisson and Gaussian expectations in closed
// form.
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

// family: "gaussian" (with its variance) or "poisson".
DensePosterior dense_posterior(const DenseLatent& latent, const neargp::LatentResponse& response, bool gaussian,
                               double variance);

}  // namespace reference

namespace fixtures {

// Nodes at uniform places; data at them (some nodes with several, some with none) or in between.
struct Latent {
  Cloud nodes, places;
  neargp::LatentData data;
  neargp::LatentResponse response;

  Latent(int node_count, int k, int datum_count, bool interpolate, neargp::ResponseFamily family, int seed);
};

neargp::Covariance latent_covariance(double variance, double range);

}  // namespace fixtures
