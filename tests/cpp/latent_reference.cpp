#include "latent_reference.h"

#include <cmath>

#include "geometry/ordering.h"
#include "random/philox.h"

using namespace neargp;

namespace reference {

namespace {

MatrixXd pick(const MatrixXd& matrix, const std::vector<int>& rows, const std::vector<int>& columns) {
  MatrixXd result(rows.size(), columns.size());
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (std::size_t j = 0; j < columns.size(); ++j) result(i, j) = matrix(rows[i], columns[j]);
  return result;
}

}  // namespace

DenseLatent dense_latent(const LatentData& data, Covariance covariance) {
  double variance = 0.0;
  for (const Component& component : covariance.components) variance += component.variance;
  const Index m = data.nodes.n;
  MatrixXd K = cross_covariance(covariance, data.nodes, data.nodes);
  K.diagonal().array() += data.jitter * variance;
  DenseLatent latent;
  latent.precision = MatrixXd::Zero(m, m);
  for (Index j = 0; j < m; ++j) {
    const std::vector<int> set = conditioning_set(data.node_neighbors, j);
    VectorXd a = VectorXd::Unit(m, j);
    double f = K(j, j);
    if (!set.empty()) {
      const VectorXd c = pick(K, set, {int(j)});
      const VectorXd b = pick(K, set, set).llt().solve(c);
      f -= c.dot(b);
      for (std::size_t l = 0; l < set.size(); ++l) a[set[l]] = -b[l];
    }
    latent.precision += a * a.transpose() / f;
  }
  if (!data.node_of_datum.empty()) {
    const Index n = Index(data.node_of_datum.size());
    latent.see = MatrixXd::Zero(n, m);
    latent.given = VectorXd::Zero(n);
    for (Index i = 0; i < n; ++i) latent.see(i, data.node_of_datum[i]) = 1.0;
    return latent;
  }
  const MatrixXd cross = cross_covariance(covariance, data.data, data.nodes);
  latent.see = MatrixXd::Zero(data.data.n, m);
  latent.given = VectorXd::Constant(data.data.n, variance);
  for (Index i = 0; i < data.data.n; ++i) {
    const std::vector<int> set = conditioning_set(data.data_neighbors, i);
    const VectorXd c = pick(cross, {int(i)}, set).transpose();
    const VectorXd weights = pick(K, set, set).llt().solve(c);
    latent.given[i] -= c.dot(weights);
    for (std::size_t l = 0; l < set.size(); ++l) latent.see(i, set[l]) = weights[l];
  }
  return latent;
}

DensePosterior dense_posterior(const DenseLatent& latent, const LatentResponse& response, bool gaussian,
                               double variance) {
  const Index n = response.n(), m = latent.precision.rows();
  const int p = response.coefficients;
  const MatrixXd X = Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>(
      response.design.data(), n, p);
  const Eigen::Map<const VectorXd> y(response.y.data(), n), offset(response.offset.data(), n),
      weight(response.weights.data(), n);
  const MatrixXd& C = latent.see;
  DensePosterior result;
  result.mean = VectorXd::Zero(m);
  result.beta = VectorXd::Zero(p);
  VectorXd W = VectorXd::Ones(n), slope(n), value(n), s(n);
  MatrixXd system(m + p, m + p);
  for (int step = 0; step < 3000; ++step) {
    result.covariance = (latent.precision + C.transpose() * W.asDiagonal() * C).inverse();
    s = latent.given + (C * result.covariance * C.transpose()).diagonal();
    const VectorXd eta = offset + X * result.beta + C * result.mean;
    VectorXd curvature(n);
    for (Index i = 0; i < n; ++i) {
      if (gaussian) {
        const double v = variance / weight[i];
        value[i] = -0.5 * std::log(2.0 * M_PI * v) - 0.5 * ((y[i] - eta[i]) * (y[i] - eta[i]) + s[i]) / v;
        slope[i] = (y[i] - eta[i]) / v;
        curvature[i] = 1.0 / v;
      } else {
        const double rate = std::exp(eta[i] + 0.5 * s[i]);
        value[i] = weight[i] * (y[i] * eta[i] - rate - std::lgamma(y[i] + 1.0));
        slope[i] = weight[i] * (y[i] - rate);
        curvature[i] = weight[i] * rate;
      }
    }
    const double damping = step < 20 ? 0.3 : 0.7;
    system << latent.precision + C.transpose() * curvature.asDiagonal() * C, C.transpose() * curvature.asDiagonal() * X,
        X.transpose() * curvature.asDiagonal() * C, X.transpose() * curvature.asDiagonal() * X;
    VectorXd right(m + p);
    right << C.transpose() * slope - latent.precision * result.mean, X.transpose() * slope;
    const VectorXd move = system.ldlt().solve(right);
    result.mean += damping * move.head(m);
    result.beta += damping * move.tail(p);
    const double change = (curvature - W).cwiseAbs().maxCoeff() + move.cwiseAbs().maxCoeff();
    W += damping * (curvature - W);
    if (change < 1e-12) break;
  }
  const double log_det_q = 2.0 * MatrixXd(latent.precision.llt().matrixL()).diagonal().array().log().sum();
  const double log_det_s = 2.0 * MatrixXd(result.covariance.llt().matrixL()).diagonal().array().log().sum();
  result.value =
      value.sum() - 0.5 * ((latent.precision * result.covariance).trace() +
                           result.mean.dot(latent.precision * result.mean) - double(m) - log_det_q - log_det_s);
  result.variance_at_data = s;
  result.trend_covariance = system.inverse().bottomRightCorner(p, p);
  return result;
}

}  // namespace reference

namespace fixtures {

Covariance latent_covariance(double variance, double range) {
  Covariance covariance;
  covariance.components.push_back(component(Family::matern, variance, {range}, {0, 0}, 1.5));
  covariance.active = {1, 1, 0, 0};
  return covariance;
}

Latent::Latent(int node_count, int k, int datum_count, bool interpolate, ResponseFamily family, int seed)
    : nodes(uniform_cloud(node_count, 2, seed)), places(uniform_cloud(datum_count, 2, seed + 1)) {
  const RunContext context;
  const Philox random(seed + 2);
  data.nodes = nodes.view();
  data.order = maxmin_order(nodes.view(), context);
  data.node_neighbors = nearest_before(nodes.view(), data.order, k, context);
  data.jitter = 1e-4;
  if (interpolate) {
    data.data = places.view();
    data.data_neighbors = nearest_to(nodes.view(), places.view(), k, context);
  } else {
    // Every node except the first gets a datum. The remaining data go to random nodes.
    for (int i = 0; i < datum_count; ++i)
      data.node_of_datum.push_back(i < node_count - 1 ? i + 1 : int(random.below(i, node_count)));
  }
  response.coefficients = 2;
  for (int i = 0; i < datum_count; ++i) {
    const double* at = interpolate ? places.view()[i] : nodes.view()[data.node_of_datum[i]];
    const double covariate = random.normal(1000 + i), field = std::sin(6.0 * at[0]) + std::cos(5.0 * at[1]);
    const double eta = 0.2 + 0.3 * covariate + field, noise = random.normal(3000 + i), u = random.uniform(5000 + i);
    response.design.insert(response.design.end(), {1.0, covariate});
    response.offset.push_back(0.1 * (i % 3));
    response.weights.push_back(1.0 + (i % 2));
    response.trials.push_back(3.0);
    double y = eta + 0.3 * noise;
    if (family == ResponseFamily::poisson || family == ResponseFamily::negative_binomial)
      y = std::floor(std::exp(eta) * -std::log(u) + 0.5);
    if (family == ResponseFamily::gamma) y = std::exp(eta + 0.4 * noise);
    if (family == ResponseFamily::beta) y = 1.0 / (1.0 + std::exp(-eta - 0.5 * noise));
    if (family == ResponseFamily::binomial_logit || family == ResponseFamily::binomial_probit ||
        family == ResponseFamily::binomial_cloglog)
      y = std::floor(4.0 * u / (1.0 + std::exp(-eta)) * 0.999);
    response.y.push_back(y);
  }
}

}  // namespace fixtures
