// The stochastic optimiser of the mean-field ELBO: where it ends, which parameters it keeps fixed, and where it starts.
#include "latent/mean_field_adam.h"

#include <cmath>

#include "extended.h"
#include "latent/latent_solve.h"
#include "mean_field_fixtures.h"

using namespace neargp;
using namespace fixtures;

namespace {

Covariance exponential() { return {{component(Family::exponential, 1.2, {0.3}, {0, 0})}, 0.0, {}}; }

MeanFieldAdamSettings settings(const LatentCase& latent, const MeanFieldPoint& point, bool free) {
  MeanFieldAdamSettings settings;
  const std::size_t count = std::size_t(latent.covariance.parameters());
  const auto working = [&](std::size_t n) {
    return WorkingParameters{std::vector<WorkingScale>(n, WorkingScale::log), std::vector<double>(n, -6.0),
                             std::vector<double>(n, 6.0), std::vector<char>(n, free)};
  };
  settings.covariance = working(count);
  settings.covariance.free[count - 1] = 0;
  settings.likelihood = working(point.likelihood.parameters.size());
  settings.batch_size = 8;
  settings.epochs = 200;
  return settings;
}

// The dense prior precision: full conditioning sets.
Eigen::MatrixXd dense_precision(const LatentCase& latent) {
  const int m = int(latent.nodes.view().n);
  const Covariance covariance = latent.model->with_jitter(latent.covariance);
  Covariance noise_free = covariance;
  noise_free.nugget = 0.0;
  const Eigen::MatrixXd K = reference::cross_covariance(noise_free, latent.nodes.view(), latent.nodes.view());
  return (K + covariance.nugget * Eigen::MatrixXd::Identity(m, m)).inverse();
}

Eigen::VectorXd to_model(const LatentCase& latent, const Eigen::VectorXd& by_caller) {
  Eigen::VectorXd result(by_caller.size());
  for (int j = 0; j < by_caller.size(); ++j) result[latent.model->node_number()[j]] = by_caller[j];
  return result;
}

// The best q(u) and trend for Poisson counts at nodes, by Newton steps on dense matrices.
MeanFieldPoint dense_optimum(const LatentCase& latent) {
  const int m = int(latent.nodes.view().n), n = int(latent.response.n()), p = 2;
  const Eigen::MatrixXd Q = dense_precision(latent);
  Eigen::MatrixXd design(n, m + p);
  design.setZero();
  for (int i = 0; i < n; ++i) {
    design(i, latent.node_of_datum[i]) = 1.0;
    design(i, m) = latent.response.design[2 * i];
    design(i, m + 1) = latent.response.design[2 * i + 1];
  }
  Eigen::VectorXd x = Eigen::VectorXd::Zero(m + p), s = Eigen::VectorXd::Constant(m, 0.1);
  for (int iteration = 0; iteration < 200; ++iteration) {
    Eigen::VectorXd rate(n), slope(n);
    for (int i = 0; i < n; ++i) {
      const double eta = latent.response.offset[i] + design.row(i).dot(x) + 0.5 * s[latent.node_of_datum[i]];
      rate[i] = latent.response.weights[i] * std::exp(eta);
      slope[i] = latent.response.weights[i] * latent.response.y[i] - rate[i];
    }
    Eigen::MatrixXd hessian = design.transpose() * rate.asDiagonal() * design;
    hessian.topLeftCorner(m, m) += Q;
    Eigen::VectorXd gradient = design.transpose() * slope;
    gradient.head(m) -= Q * x.head(m);
    x += hessian.ldlt().solve(gradient);
    s = hessian.diagonal().head(m).cwiseInverse();
  }
  MeanFieldPoint point = latent.point(poisson_likelihood());
  point.beta = {x[m], x[m + 1]};
  const Eigen::VectorXd mean = to_model(latent, x.head(m)), variance = to_model(latent, s);
  for (int j = 0; j < m; ++j) {
    point.moments[2 * j] = mean[j];
    point.moments[2 * j + 1] = variance[j];
  }
  return point;
}

}  // namespace

TEST_CASE("long Adam ends at the closed-form optimum of q and trend" * extended) {
  const RunContext context;
  const LatentCase latent(24, 30, 100, true, exponential());
  const MeanFieldPoint optimum = dense_optimum(latent);
  MeanField bound(*latent.model, latent.response, false);
  const MeanFieldGradient& at_optimum = bound.evaluate(optimum, bound.everything(), context);
  for (const double slope : at_optimum.moments) CHECK(std::abs(slope) < 1e-8);
  for (const double slope : at_optimum.beta) CHECK(std::abs(slope) < 1e-8);
  const double best = at_optimum.value;

  for (const int batch : {24, 6}) {
    CAPTURE(batch);
    MeanFieldAdamSettings adam = settings(latent, optimum, false);
    adam.batch_size = batch;
    adam.epochs = batch == 24 ? 4000 : 3000;
    const MeanFieldFit fit =
        fit_mean_field(*latent.model, latent.response, latent.point(poisson_likelihood()), adam, context);
    CHECK(fit.value < best + 1e-9);
    CHECK(fit.value > best - (batch == 24 ? 1e-4 : 0.02));
    for (std::size_t j = 0; j < optimum.moments.size(); ++j)
      CHECK(std::abs(fit.point.moments[j] - optimum.moments[j]) < (batch == 24 ? 0.01 : 0.05));
    CHECK(parameter_values(fit.point.covariance) == parameter_values(latent.model->with_jitter(latent.covariance)));
  }
}

TEST_CASE("Adam raises the bound with all parameters free, keeps to bounds, and is a function of its key") {
  const RunContext context;
  const LatentCase latent(40, 60, 6, false, exponential(), false);
  const MeanFieldPoint start = latent.point(gaussian_likelihood());
  MeanFieldAdamSettings adam = settings(latent, start, true);
  adam.covariance.upper[1] = std::log(0.31);
  MeanField bound(*latent.model, latent.response, false);
  const double before = bound.evaluate(start, bound.everything(), context).value;
  const MeanFieldFit fit = fit_mean_field(*latent.model, latent.response, start, adam, context);
  CHECK(fit.value > before + 10.0);
  CHECK(int(fit.trace.size()) == adam.epochs);
  const Covariance& covariance = fit.point.covariance;
  CHECK(covariance.components[0].range[0] <= 0.31 * (1.0 + 1e-12));
  CHECK(covariance.nugget == doctest::Approx(jitter_share() * covariance.components[0].variance).epsilon(1e-14));
  const MeanFieldFit again = fit_mean_field(*latent.model, latent.response, start, adam, with_threads(3));
  CHECK(again.value == fit.value);
  CHECK(again.point.moments == fit.point.moments);
  adam.key = 1;
  CHECK(fit_mean_field(*latent.model, latent.response, start, adam, context).value != fit.value);
}

TEST_CASE("learned locations raise the bound further, and end with neighbours of their own") {
  const RunContext context;
  const LatentCase latent(12, 80, 5, false, exponential(), false);
  const MeanFieldPoint start = latent.point(gaussian_likelihood());
  MeanFieldAdamSettings adam = settings(latent, start, true);
  const MeanFieldFit fixed = fit_mean_field(*latent.model, latent.response, start, adam, context);
  CHECK(fixed.point.coords == start.coords);
  CHECK(fixed.data_neighbors.index == latent.model->interpolation().neighbors().index);
  adam.locations = true;
  const MeanFieldFit learned = fit_mean_field(*latent.model, latent.response, start, adam, context);
  CHECK(learned.value > fixed.value + 1.0);
  const Points nodes{learned.point.coords.data(), 12, 2}, data{latent.model->data_coords().data(), 80, 2};
  CHECK(learned.data_neighbors.index == nearest_to(nodes, data, 5, context).index);
  CHECK(learned.node_neighbors.index == nearest_before(nodes, latent.model->order(), 5, context).index);
}

TEST_CASE("solves without a factor agree with dense ones") {
  const RunContext context;
  for (const bool at_nodes : {true, false}) {
    const LatentCase latent(24, 30, 100, at_nodes, exponential());
    latent.model->set_covariance(latent.covariance, context);
    const int m = 24, n = 30;
    std::vector<double> precision, z;
    for (int i = 0; i < n; ++i) {
      precision.push_back(i % 5 == 0 ? 0.0 : 1.0 + 0.1 * i);
      z.push_back(std::sin(double(i)));
    }
    // C column by column, in the model's numbering
    Eigen::MatrixXd C(n, m);
    for (int j = 0; j < m; ++j) {
      std::vector<double> unit(m, 0.0);
      unit[j] = 1.0;
      latent.model->field_at_data(unit.data(), C.data() + j * n);
    }
    const Eigen::MatrixXd prior = dense_precision(latent);
    Eigen::MatrixXd A(m, m);
    for (int i = 0; i < m; ++i)
      for (int j = 0; j < m; ++j) A(latent.model->node_number()[i], latent.model->node_number()[j]) = prior(i, j);
    const Eigen::Map<const Eigen::VectorXd> W(precision.data(), n), response(z.data(), n);
    A += C.transpose() * W.asDiagonal() * C;
    const Eigen::VectorXd h = C.transpose() * W.asDiagonal() * response;
    const Eigen::VectorXd expected = A.ldlt().solve(h);
    const LinearSolution solution =
        solve_latent(*latent.model, precision, {h.data(), h.data() + m}, 1e-12, 200, context);
    CHECK(solution.converged);
    for (int j = 0; j < m; ++j) {
      CHECK(solution.x[j] == doctest::Approx(expected[j]).epsilon(1e-8).scale(1.0));
      CHECK(prior_diagonal(*latent.model)[j] + data_diagonal(*latent.model, precision)[j] ==
            doctest::Approx(A(j, j)).epsilon(1e-8));
    }
  }
}

TEST_CASE("moments start at the posterior of gaussian responses, and near that of counts") {
  const RunContext context;
  for (const bool counts : {false, true}) {
    const LatentCase latent(24, 30, 100, true, exponential(), counts);
    latent.model->set_covariance(latent.covariance, context);
    const Likelihood likelihood = counts ? poisson_likelihood() : gaussian_likelihood();
    std::vector<double> eta = latent.response.y;
    for (double& x : eta) x = counts ? std::log(x + 0.1) : x;
    const MeanFieldPoint optimum = dense_optimum(latent);
    MeanFieldPoint start = latent.point(likelihood);
    if (counts) start.beta = optimum.beta;
    start.moments = starting_moments(*latent.model, latent.response, likelihood, start.beta, eta, context);
    MeanField bound(*latent.model, latent.response, false);
    const MeanFieldGradient& at_start = bound.evaluate(start, bound.everything(), context);
    if (counts) {
      const double value = at_start.value;
      CHECK(value > bound.evaluate(optimum, bound.everything(), context).value - 5.0);
    } else {
      for (const int node : at_start.active) CHECK(std::abs(at_start.moments[2 * node]) < 0.2);
      for (const int node : at_start.active) CHECK(std::abs(at_start.moments[2 * node + 1]) < 1e-8);
    }
  }
}
