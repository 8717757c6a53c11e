// Tests of SWSGP by sets of active nodes. With independent nodes the objective is that of neighborhoods. With a full
// covariance matrix and all nodes in view it is the ELBO of SVGP. Values are compared with dense matrices, and
// gradients with differences.
#include "extended.h"
#include "mean_field_fixtures.h"

#include <cmath>
#include <functional>

#include "latent/active_sets.h"

using namespace neargp;
using namespace fixtures;

namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

Covariance matern() { return {{component(Family::matern, 1.3, {0.3}, {0, 0}, 1.5)}, 0.0, {}}; }

Covariance sum_of_two() {
  return {{component(Family::exponential, 0.8, {0.2, 0.5}, {0, 1}), component(Family::matern, 0.5, {0.9}, {0, 0}, 2.5)},
          0.0,
          {}};
}

// A point with random rows r, zeros above the diagonal.
MeanFieldPoint full_point(const LatentCase& latent, const Likelihood& likelihood, double size = 0.4) {
  MeanFieldPoint point = latent.point(likelihood);
  const Index nodes = latent.model->nodes();
  const Philox random(41);
  point.root.assign(nodes * nodes, 0.0);
  for (Index j = 0; j < nodes; ++j)
    for (Index l = 0; l < j; ++l) point.root[j * nodes + l] = size * random.normal(j * nodes + l);
  return point;
}

MatrixXd dense_covariance(const MeanFieldPoint& point) {
  const Index nodes = Index(point.moments.size() / 2);
  MatrixXd root = MatrixXd::Zero(nodes, nodes);
  for (Index j = 0; j < nodes; ++j) {
    for (Index l = 0; l < j && !point.root.empty(); ++l) root(j, l) = point.root[j * nodes + l];
    root(j, j) = 1.0;
    root.row(j) *= std::sqrt(point.moments[2 * j + 1]);
  }
  return root * root.transpose();
}

double log_determinant(const MatrixXd& x) { return 2.0 * MatrixXd(x.llt().matrixL()).diagonal().array().log().sum(); }

// The objective from inverses, over sets of nodes with the data that see them; `weight` of each divergence.
double dense_sets(const LatentCase& latent, const MeanFieldPoint& point, const std::vector<ActiveSet>& sets,
                  double weight) {
  Covariance noise_free = point.covariance;
  noise_free.nugget = 0.0;
  double variance = 0.0;
  for (const auto& component : noise_free.components) variance += component.variance;
  const Points nodes{point.coords.data(), latent.model->nodes(), 2};
  MatrixXd prior = reference::cross_covariance(noise_free, nodes, nodes);
  prior.diagonal().array() += jitter_share() * variance;
  const MatrixXd cross = reference::cross_covariance(noise_free, nodes, latent.data.view());
  const MatrixXd posterior = dense_covariance(point);
  double value = 0.0;
  for (const ActiveSet& set : sets) {
    const Index k = Index(set.nodes.size());
    MatrixXd K(k, k), S(k, k);
    VectorXd m(k);
    for (Index a = 0; a < k; ++a) {
      m[a] = point.moments[2 * set.nodes[a]];
      for (Index b = 0; b < k; ++b) {
        K(a, b) = prior(set.nodes[a], set.nodes[b]);
        S(a, b) = posterior(set.nodes[a], set.nodes[b]);
      }
    }
    const MatrixXd inverse = K.inverse();
    value -= 0.5 * weight *
             ((inverse * S).trace() + m.dot(inverse * m) - double(k) + log_determinant(K) - log_determinant(S));
    for (Index i = set.first; i < set.last; ++i) {
      VectorXd to_datum(k);
      for (Index a = 0; a < k; ++a) to_datum[a] = cross(set.nodes[a], i);
      const VectorXd b = inverse * to_datum;
      const double trend = latent.response.offset[i] + latent.response.design[2 * i] * point.beta[0] +
                           latent.response.design[2 * i + 1] * point.beta[1];
      value += expected_log_density(point.likelihood, latent.response.y[i], latent.response.weights[i],
                                    trend + b.dot(m), variance - b.dot(to_datum) + b.dot(S * b));
    }
  }
  return value;
}

struct Objective {
  LatentCase latent;
  MeanField bound;
  Objective(int nodes, int data, int k, Index shared, const Covariance& covariance, bool counts, double kl_weight = 1.0)
      : latent(nodes, data, k, false, covariance, counts),
        bound(*latent.model, latent.response, true, MeanFieldPrior::neighborhoods, kl_weight, shared) {}

  const MeanFieldGradient& at(const MeanFieldPoint& point, const RunContext& context = RunContext()) {
    return bound.evaluate(point, bound.everything(), context);
  }
};

std::vector<int> first_rows(Index n) {
  std::vector<int> rows;
  for (Index i = 0; i < n; ++i) rows.push_back(int(i));
  return rows;
}

void check_difference(double& x, bool in_log, double slope, const std::function<double()>& value) {
  const double at = x, h = 1e-5 * (in_log ? at : 1.0);
  x = at + h;
  const double up = value();
  x = at - h;
  const double down = value();
  x = at;
  CHECK(slope == doctest::Approx((up - down) / (2.0 * h) * (in_log ? at : 1.0)).epsilon(1e-5).scale(1.0));
}

void check_gradient(Objective& objective, MeanFieldPoint point) {
  const auto value = [&] {
    point.covariance.nugget = objective.latent.model->with_jitter(point.covariance).nugget;
    return objective.at(point).value;
  };
  value();
  const MeanFieldGradient gradient = objective.at(point);
  check_difference(point.covariance.components[0].variance, true, gradient.covariance[0], value);
  check_difference(point.covariance.components[0].range[0], true, gradient.covariance[1], value);
  if (!point.likelihood.parameters.empty())
    check_difference(point.likelihood.parameters[0], true, gradient.likelihood[0], value);
  for (int c = 0; c < 2; ++c) check_difference(point.beta[c], false, gradient.beta[c], value);
  for (std::size_t j = 0; j < point.moments.size(); ++j)
    check_difference(point.moments[j], j % 2 == 1, gradient.moments[j], value);
  for (std::size_t j = 0; j < point.coords.size(); ++j)
    check_difference(point.coords[j], false, gradient.locations[j], value);
  const Index nodes = objective.bound.nodes();
  for (Index j = 0; j < nodes && !point.root.empty(); ++j)
    for (Index l = 0; l < nodes; ++l) {
      if (l < j) check_difference(point.root[j * nodes + l], false, gradient.root[j * nodes + l], value);
      if (l >= j) CHECK(gradient.root[j * nodes + l] == 0.0);
    }
}

}  // namespace

TEST_CASE("with r = 0 the objective by sets is that of independent nodes, value and gradient") {
  for (const int k : {1, 6, 24}) {
    Objective objective(40, 61, k, 0, k == 6 ? sum_of_two() : matern(), true, 3.0);
    const MeanFieldPoint independent = objective.latent.point(poisson_likelihood());
    const MeanFieldGradient expected = objective.at(independent);
    const MeanFieldGradient& found = objective.at(full_point(objective.latent, poisson_likelihood(), 0.0));
    CHECK(found.value == doctest::Approx(expected.value).epsilon(1e-11));
    const auto same = [](const std::vector<double>& x, const std::vector<double>& y) {
      REQUIRE(x.size() == y.size());
      for (std::size_t a = 0; a < x.size(); ++a) CHECK(x[a] == doctest::Approx(y[a]).epsilon(1e-8).scale(1e-2));
    };
    same(found.covariance, expected.covariance);
    same(found.moments, expected.moments);
    same(found.locations, expected.locations);
    same(found.beta, expected.beta);
  }
}

TEST_CASE("the objective by sets is the dense one, of own and of shared nodes, with full and diagonal covariance") {
  for (const bool counts : {true, false})
    for (const Index shared : {0, 9, 23}) {
      Objective objective(23, 31, 6, shared, sum_of_two(), counts, 0.7);
      const Likelihood likelihood = counts ? poisson_likelihood() : gaussian_likelihood();
      const std::vector<int> rows = first_rows(31);
      const NeighborTable& table = objective.bound.data_neighbors();
      const std::vector<ActiveSet> sets =
          shared ? std::vector<ActiveSet>{shared_set(table, rows, shared)} : own_sets(table, rows);
      const double weight = 0.7 * (shared ? 1.0 : 1.0 / 31.0);
      const MeanFieldPoint full = full_point(objective.latent, likelihood);
      CHECK(objective.at(full).value ==
            doctest::Approx(dense_sets(objective.latent, full, sets, weight)).epsilon(1e-9));
      const MeanFieldPoint diagonal = objective.latent.point(likelihood);
      CHECK(objective.at(diagonal).value ==
            doctest::Approx(dense_sets(objective.latent, diagonal, sets, weight)).epsilon(1e-9));
    }
}

TEST_CASE("the gradient of the objective by sets is that of differences" * extended) {
  for (const bool counts : {true, false}) {
    const Likelihood likelihood = counts ? poisson_likelihood() : gaussian_likelihood();
    Objective own(11, 17, 5, 0, matern(), counts);
    check_gradient(own, full_point(own.latent, likelihood));
    Objective shared(11, 17, 5, 8, sum_of_two(), counts);
    check_gradient(shared, full_point(shared.latent, likelihood));
    check_gradient(shared, shared.latent.point(likelihood));
  }
}

// With all nodes in view, the best q(u) is given by S = (K^-1 + C'C / noise)^-1 and m = S C'(y - trend) / noise. The
// objective is then the ELBO of Titsias (2009). This ELBO is log N(y; trend, Q + noise I) - tr(K_xx - Q) / (2 noise).
TEST_CASE("with all nodes in view a full covariance matrix gives the bound of SVGP") {
  const int nodes = 19, data = 43;
  const double noise = 0.2;
  for (const Index shared : {0, 19}) {
    Objective objective(nodes, data, nodes, shared, matern(), false);
    objective.latent.response.weights.assign(data, 1.0);
    MeanFieldPoint point = full_point(objective.latent, gaussian_likelihood());
    Covariance noise_free = point.covariance;
    noise_free.nugget = 0.0;
    const Points at{point.coords.data(), nodes, 2};
    MatrixXd prior = reference::cross_covariance(noise_free, at, at);
    prior.diagonal().array() += jitter_share() * 1.3;
    const MatrixXd cross = reference::cross_covariance(noise_free, at, objective.latent.data.view());
    const MatrixXd weights = prior.inverse() * cross;
    VectorXd residual(data);
    for (int i = 0; i < data; ++i)
      residual[i] = objective.latent.response.y[i] - objective.latent.response.offset[i] -
                    objective.latent.response.design[2 * i] * point.beta[0] -
                    objective.latent.response.design[2 * i + 1] * point.beta[1];
    const MatrixXd covariance = MatrixXd(prior.inverse() + weights * weights.transpose() / noise).inverse();
    const VectorXd mean = covariance * (weights * residual) / noise;
    const MatrixXd root = covariance.llt().matrixL();
    for (int j = 0; j < nodes; ++j) {
      point.moments[2 * j] = mean[j];
      point.moments[2 * j + 1] = root(j, j) * root(j, j);
      for (int l = 0; l < j; ++l) point.root[j * nodes + l] = root(j, l) / root(j, j);
    }
    const MatrixXd explained = cross.transpose() * weights;
    const MatrixXd marginal = explained + noise * MatrixXd::Identity(data, data);
    const double bound =
        -0.5 * (data * std::log(2.0 * M_PI) + log_determinant(marginal) + residual.dot(marginal.inverse() * residual) +
                (data * 1.3 - explained.trace()) / noise);
    const MeanFieldGradient& found = objective.at(point);
    CHECK(found.value == doctest::Approx(bound).epsilon(1e-9));
    for (const double slope : found.moments) CHECK(std::abs(slope) < 1e-7);
    for (const double slope : found.root) CHECK(std::abs(slope) < 1e-7);
  }
}

TEST_CASE("shared nodes are the nearest of all data first, then the second nearest, up to their number") {
  NeighborTable table(3, 2);
  const int nearest[] = {4, 1, 4, 2, 0, 1};
  std::copy(nearest, nearest + 6, table[0]);
  CHECK(shared_set(table, {0, 1, 2}, 10).nodes == std::vector<int>{4, 0, 1, 2});
  CHECK(shared_set(table, {2, 0}, 10).nodes == std::vector<int>{0, 4, 1});
  CHECK(shared_set(table, {0, 1, 2}, 3).nodes == std::vector<int>{4, 0, 1});
  CHECK(own_sets(table, {2, 0})[1].nodes == std::vector<int>{4, 1});
}

TEST_CASE("the objective by sets does not depend on the number of threads") {
  Objective objective(150, 700, 6, 0, matern(), true);
  const MeanFieldPoint point = full_point(objective.latent, poisson_likelihood(), 0.05);
  const MeanFieldGradient one = objective.at(point, with_threads(1));
  const MeanFieldGradient& four = objective.at(point, with_threads(4));
  CHECK(one.value == four.value);
  CHECK(one.moments == four.moments);
  CHECK(one.root == four.root);
  CHECK(one.locations == four.locations);
}
