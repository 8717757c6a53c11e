// Small latent models of the mean-field tests, and the mean-field ELBO with dense matrices, written from its
// definition.
#pragma once

#include <doctest/doctest.h>

#include <Eigen/Dense>
#include <memory>

#include "core_fixtures.h"
#include "geometry/ordering.h"
#include "latent/mean_field.h"

namespace fixtures {

inline double jitter_share() { return 1e-3; }

// m nodes and n responses: at nodes (several at one, none at another), or elsewhere. All arrays in the caller's
// numbering.
struct LatentCase {
  Cloud nodes, data;
  neargp::Covariance covariance;
  std::vector<int> node_of_datum, order;
  neargp::LatentResponse response;
  std::unique_ptr<neargp::LatentModel> model;

  LatentCase(int m, int n, int k, bool at_nodes, const neargp::Covariance& covariance_, bool counts = true)
      : nodes(uniform_cloud(m, 2, 11)), data(uniform_cloud(n, 2, 12)), covariance(covariance_), order(shuffled(m)) {
    const neargp::Philox random(21);
    for (int i = 0; i < n; ++i) {
      const double x = data.coords[2 * i], z = random.normal(i);
      response.y.push_back(counts ? std::floor(std::exp(1.0 + std::sin(6.0 * x)) * (0.5 + random.uniform(1000 + i)))
                                  : std::sin(6.0 * x) + 0.3 * random.normal(2000 + i));
      response.weights.push_back(0.5 + random.uniform(3000 + i));
      response.offset.push_back(0.1 * std::cos(double(i)));
      response.design.insert(response.design.end(), {1.0, z});
      node_of_datum.push_back(i < m - 1 ? i : i % 3);
    }
    response.coefficients = 2;
    neargp::LatentData latent;
    latent.nodes = nodes.view();
    latent.order = order;
    latent.node_neighbors = nearest_before(nodes.view(), order, std::min(k, m - 1), with_threads(1));
    latent.jitter = jitter_share();
    if (at_nodes) {
      latent.node_of_datum = node_of_datum;
    } else {
      latent.data = data.view();
      latent.data_neighbors = nearest_to(nodes.view(), data.view(), std::min(k, m), with_threads(1));
    }
    model = std::make_unique<neargp::LatentModel>(latent, with_threads(1));
  }

  // Some moments, and the trend.
  neargp::MeanFieldPoint point(const neargp::Likelihood& likelihood) const {
    const neargp::Philox random(31);
    neargp::MeanFieldPoint point{model->with_jitter(covariance), likelihood, {0.4, -0.2}, {}, model->coords(), {}};
    for (int j = 0; j < model->nodes(); ++j) {
      point.moments.push_back(0.7 * random.normal(j));
      point.moments.push_back(0.05 + 0.3 * random.uniform(500 + j));
    }
    return point;
  }
};

// E log p for eta ~ N(mean, variance), in closed form.
inline double expected_log_density(const neargp::Likelihood& likelihood, double y, double weight, double mean,
                                   double variance) {
  if (likelihood.family == neargp::ResponseFamily::poisson)
    return weight * (y * mean - std::exp(mean + 0.5 * variance) - std::lgamma(y + 1.0));
  const double noise = likelihood.parameters[0] / weight;
  return -0.5 * (std::log(2.0 * M_PI * noise) + ((y - mean) * (y - mean) + variance) / noise);
}

// The ELBO with full conditioning sets: sum E log p - KL[N(m, diag s) || N(0, K + jitter)], data through K^-1 k.
inline double dense_mean_field(const LatentCase& latent, bool at_nodes, const neargp::MeanFieldPoint& point) {
  const int m = int(latent.nodes.view().n), n = int(latent.response.n());
  neargp::Covariance noise_free = point.covariance;
  noise_free.nugget = 0.0;
  double variance = 0.0;
  for (const auto& component : noise_free.components) variance += component.variance;
  const Eigen::MatrixXd K = reference::cross_covariance(noise_free, latent.nodes.view(), latent.nodes.view()) +
                            jitter_share() * variance * Eigen::MatrixXd::Identity(m, m);
  Eigen::VectorXd mean(m), s(m);
  for (int j = 0; j < m; ++j) {
    const int number = latent.model->node_number()[j];
    mean[j] = point.moments[2 * number];
    s[j] = point.moments[2 * number + 1];
  }
  const Eigen::MatrixXd inverse = K.inverse();
  const double log_det = 2.0 * Eigen::MatrixXd(K.llt().matrixL()).diagonal().array().log().sum();
  double value = -0.5 * (inverse.diagonal().dot(s) + mean.dot(inverse * mean) - m + log_det - s.array().log().sum());
  const Eigen::MatrixXd cross = reference::cross_covariance(noise_free, latent.nodes.view(), latent.data.view());
  for (int i = 0; i < n; ++i) {
    double mu = latent.response.offset[i] + latent.response.design[2 * i] * point.beta[0] +
                latent.response.design[2 * i + 1] * point.beta[1];
    double tau = 0.0;
    if (at_nodes) {
      mu += mean[latent.node_of_datum[i]];
      tau = s[latent.node_of_datum[i]];
    } else {
      const Eigen::VectorXd c = inverse * cross.col(i);
      mu += c.dot(mean);
      tau = variance - c.dot(cross.col(i)) + c.array().square().matrix().dot(s);
    }
    value += expected_log_density(point.likelihood, latent.response.y[i], latent.response.weights[i], mu, tau);
  }
  return value;
}

// The objective of neighborhoods, with rows of the table as those of nodes in the model's numbering.
inline double dense_neighborhoods(const LatentCase& latent, const neargp::NeighborTable& neighbors,
                                  const neargp::MeanFieldPoint& point) {
  neargp::Covariance noise_free = point.covariance;
  noise_free.nugget = 0.0;
  double variance = 0.0;
  for (const auto& component : noise_free.components) variance += component.variance;
  const neargp::Points nodes{point.coords.data(), latent.model->nodes(), 2};
  const Eigen::MatrixXd whole = reference::cross_covariance(noise_free, nodes, nodes);
  const Eigen::MatrixXd cross = reference::cross_covariance(noise_free, nodes, latent.data.view());
  const int n = int(latent.response.n()), k = neighbors.k;
  double value = 0.0;
  for (int i = 0; i < n; ++i) {
    Eigen::MatrixXd K = jitter_share() * variance * Eigen::MatrixXd::Identity(k, k);
    Eigen::VectorXd m(k), s(k), to_datum(k);
    for (int a = 0; a < k; ++a) {
      const int node = neighbors[i][a];
      m[a] = point.moments[2 * node];
      s[a] = point.moments[2 * node + 1];
      to_datum[a] = cross(node, i);
      for (int b = 0; b < k; ++b) K(a, b) += whole(node, neighbors[i][b]);
    }
    const Eigen::MatrixXd inverse = K.inverse();
    const double log_det = 2.0 * Eigen::MatrixXd(K.llt().matrixL()).diagonal().array().log().sum();
    value -= 0.5 / n * (inverse.diagonal().dot(s) + m.dot(inverse * m) - k + log_det - s.array().log().sum());
    const Eigen::VectorXd c = inverse * to_datum;
    const double trend = latent.response.offset[i] + latent.response.design[2 * i] * point.beta[0] +
                         latent.response.design[2 * i + 1] * point.beta[1];
    value += expected_log_density(point.likelihood, latent.response.y[i], latent.response.weights[i], trend + c.dot(m),
                                  variance - c.dot(to_datum) + c.array().square().matrix().dot(s));
  }
  return value;
}

inline neargp::Likelihood poisson_likelihood() { return {neargp::ResponseFamily::poisson, {}}; }
inline neargp::Likelihood gaussian_likelihood() { return {neargp::ResponseFamily::gaussian, {0.2}}; }

}  // namespace fixtures
