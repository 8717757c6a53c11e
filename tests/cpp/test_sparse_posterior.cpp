#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "latent/latent_prediction.h"
#include "latent/sparse_posterior.h"
#include "latent_reference.h"

using namespace neargp;
using namespace fixtures;

namespace {

const RunContext context;

Likelihood likelihood_of(ResponseFamily family) {
  switch (family) {
    case ResponseFamily::gaussian: return {family, {0.2}};
    case ResponseFamily::student_t: return {family, {0.4, 5.0}};
    case ResponseFamily::negative_binomial: return {family, {2.0}};
    case ResponseFamily::gamma: return {family, {3.0}};
    case ResponseFamily::beta: return {family, {6.0}};
    default: return {family, {}};
  }
}

constexpr PosteriorSettings tight{1e-12, 300};

enum class FactorKind { exact, incomplete, restricted };
constexpr FactorKind all_factors[] = {FactorKind::exact, FactorKind::incomplete, FactorKind::restricted};

double bytes_for(FactorKind kind) { return kind == FactorKind::restricted ? 0.0 : INFINITY; }

struct Fitted {
  LatentModel model;
  SparsePosterior posterior;
  PosteriorOutcome outcome;

  Fitted(const Latent& latent, const Covariance& covariance, const Likelihood& likelihood, bool exact,
         PosteriorKind kind = PosteriorKind::sparse, double factor_bytes = INFINITY)
      : model(latent.data, context), posterior(model, latent.response, kind, {exact, factor_bytes}, context) {
    model.set_covariance(covariance, context);
    outcome = posterior.fit(posterior.start(std::vector<double>(latent.response.y.size(), 0.1), likelihood, context),
                            likelihood, tight, true, context);
  }
};

void check_close(const std::vector<double>& value, const Eigen::VectorXd& expected, double tolerance) {
  REQUIRE(Index(value.size()) == expected.size());
  CHECK((Eigen::Map<const Eigen::VectorXd>(value.data(), expected.size()) - expected).cwiseAbs().maxCoeff() <
        tolerance);
}

}  // namespace

TEST_CASE("with all nodes before each as neighbours the posterior is the dense one") {
  for (const bool interpolate : {false, true})
    for (const ResponseFamily family : {ResponseFamily::gaussian, ResponseFamily::poisson})
      for (const bool exact : {false, true}) {
        CAPTURE(interpolate);
        CAPTURE(int(family));
        CAPTURE(exact);
        const Latent latent(35, 34, 60, interpolate, family, 4);
        const Covariance covariance = latent_covariance(0.8, 0.3);
        Fitted fitted(latent, covariance, likelihood_of(family), exact);
        const reference::DensePosterior dense = reference::dense_posterior(
            reference::dense_latent(latent.data, covariance), latent.response, family == ResponseFamily::gaussian, 0.2);
        CHECK(fitted.outcome.converged);
        CHECK(fitted.outcome.value == doctest::Approx(dense.value).epsilon(1e-9));
        check_close(fitted.model.to_caller(fitted.posterior.state().mean), dense.mean, 1e-5);
        check_close(fitted.posterior.state().beta, dense.beta, 1e-5);
        check_close(fitted.posterior.variance_at_data(), dense.variance_at_data, 1e-6);
        check_close(fitted.posterior.trend(context).covariance,
                    Eigen::Map<const Eigen::VectorXd>(dense.trend_covariance.data(), 4), 1e-6);
      }
}

TEST_CASE(
    "with few neighbours an exact factor gives the dense posterior of the sparse prior, an incomplete one nearly") {
  for (const bool interpolate : {false, true}) {
    CAPTURE(interpolate);
    const Latent latent(60, 10, 110, interpolate, ResponseFamily::poisson, 9);
    const Covariance covariance = latent_covariance(0.8, 0.2);
    const reference::DensePosterior dense =
        reference::dense_posterior(reference::dense_latent(latent.data, covariance), latent.response, false, 0.0);
    const Likelihood poisson = likelihood_of(ResponseFamily::poisson);
    const Fitted exact(latent, covariance, poisson, true), incomplete(latent, covariance, poisson, false);
    CHECK(exact.outcome.value == doctest::Approx(dense.value).epsilon(1e-9));
    check_close(exact.posterior.variance_at_data(), dense.variance_at_data, 1e-7);
    CHECK(std::abs(incomplete.outcome.value - dense.value) < 0.05);
    check_close(incomplete.model.to_caller(incomplete.posterior.state().mean), dense.mean, 0.01);
    CHECK_FALSE(incomplete.posterior.factor().is_exact());
  }
}

TEST_CASE("a restricted factor leaves the mean exact, and log determinant and variances nearly") {
  const Latent latent(300, 12, 300, false, ResponseFamily::gaussian, 5);
  const Covariance covariance = latent_covariance(0.8, 0.1);
  const Likelihood gaussian{ResponseFamily::gaussian, {0.02}};
  Fitted exact(latent, covariance, gaussian, true), incomplete(latent, covariance, gaussian, false);
  Fitted restricted(latent, covariance, gaussian, false, PosteriorKind::sparse, 0.0);
  REQUIRE(restricted.posterior.factor().is_restricted());
  CHECK(restricted.outcome.converged);
  const auto vector = [](const std::vector<double>& x) {
    return Eigen::Map<const Eigen::VectorXd>(x.data(), Index(x.size()));
  };
  check_close(restricted.posterior.state().mean, vector(exact.posterior.state().mean), 1e-6);
  check_close(restricted.posterior.trend(context).covariance, vector(exact.posterior.trend(context).covariance), 1e-6);
  const double wrong = std::abs(restricted.outcome.value - exact.outcome.value);
  CHECK(wrong < 0.5);
  CHECK(wrong > std::abs(incomplete.outcome.value - exact.outcome.value));
  const Eigen::ArrayXd variance = vector(restricted.posterior.variance_at_data()).array();
  CHECK((variance / vector(exact.posterior.variance_at_data()).array() - 1.0).abs().maxCoeff() < 0.1);
}

TEST_CASE("a Gaussian response gives the log density of the data") {
  const Latent latent(40, 39, 70, false, ResponseFamily::gaussian, 2);
  const Covariance covariance = latent_covariance(0.8, 0.3);
  const Fitted fitted(latent, covariance, likelihood_of(ResponseFamily::gaussian), false);
  const reference::DenseLatent dense = reference::dense_latent(latent.data, covariance);
  Eigen::MatrixXd marginal = dense.see * dense.precision.inverse() * dense.see.transpose();
  Eigen::VectorXd residual(70);
  for (int i = 0; i < 70; ++i) {
    marginal(i, i) += 0.2 / latent.response.weights[i];
    residual[i] = latent.response.y[i] - latent.response.offset[i] - fitted.posterior.state().beta[0] -
                  fitted.posterior.state().beta[1] * latent.response.design[2 * i + 1];
  }
  const Eigen::LLT<Eigen::MatrixXd> factor(marginal);
  const double log_det = 2.0 * Eigen::MatrixXd(factor.matrixL()).diagonal().array().log().sum();
  CHECK(fitted.outcome.value ==
        doctest::Approx(-0.5 * (70 * std::log(2.0 * M_PI) + log_det + residual.dot(factor.solve(residual))))
            .epsilon(1e-9));
}

TEST_CASE("gradients are those of the fitted value") {
  const std::vector<ResponseFamily> families{ResponseFamily::gaussian,
                                             ResponseFamily::student_t,
                                             ResponseFamily::binomial_logit,
                                             ResponseFamily::binomial_probit,
                                             ResponseFamily::binomial_cloglog,
                                             ResponseFamily::poisson,
                                             ResponseFamily::negative_binomial,
                                             ResponseFamily::gamma,
                                             ResponseFamily::beta};
  for (const ResponseFamily family : families)
    for (const PosteriorKind kind : {PosteriorKind::sparse, PosteriorKind::laplace})
      for (const bool interpolate : {false, true})
        for (const FactorKind factor : all_factors) {
          if (interpolate && kind == PosteriorKind::laplace) continue;
          CAPTURE(int(family));
          CAPTURE(int(kind));
          CAPTURE(interpolate);
          CAPTURE(int(factor));
          const Latent latent(50, 8, 80, interpolate, family, 7);
          const Likelihood likelihood = likelihood_of(family);
          LatentModel model(latent.data, context);
          SparsePosterior posterior(model, latent.response, kind, {factor == FactorKind::exact, bytes_for(factor)},
                                    context);
          PosteriorState state =
              posterior.start(std::vector<double>(latent.response.y.size(), 0.1), likelihood, context);
          const auto fit = [&](double log_variance, double log_range, const Likelihood& at) {
            model.set_covariance(latent_covariance(std::exp(log_variance), std::exp(log_range)), context);
            PosteriorOutcome outcome = posterior.fit(state, at, tight, true, context);
            CHECK(outcome.converged);
            return outcome;
          };
          const auto value = [&](double log_variance, double log_range, const Likelihood& at) {
            return fit(log_variance, log_range, at).value;
          };
          const double h = 1e-4, v = std::log(0.8), r = std::log(0.2);
          const PosteriorGradient gradient = fit(v, r, likelihood).gradient;
          state = posterior.state();
          const double in_v = (value(v + h, r, likelihood) - value(v - h, r, likelihood)) / (2.0 * h);
          const double in_r = (value(v, r + h, likelihood) - value(v, r - h, likelihood)) / (2.0 * h);
          CHECK(gradient.covariance[0] == doctest::Approx(in_v).epsilon(1e-4));
          CHECK(gradient.covariance[1] == doctest::Approx(in_r).epsilon(1e-4));
          CHECK(gradient.covariance[2] == 0.0);
          for (std::size_t a = 0; a < likelihood.parameters.size(); ++a) {
            Likelihood up = likelihood, down = likelihood;
            up.parameters[a] *= std::exp(h);
            down.parameters[a] *= std::exp(-h);
            const double slope = (value(v, r, up) - value(v, r, down)) / (2.0 * h);
            CHECK(gradient.likelihood[a] == doctest::Approx(slope).epsilon(1e-4));
          }
        }
}

TEST_CASE("Laplace's pseudo-observations are those of its mode, also where the likelihood is not log-concave") {
  Latent latent(60, 12, 90, false, ResponseFamily::student_t, 13);
  for (const int i : {4, 30, 61}) latent.response.y[i] += 6.0;
  const Likelihood student = likelihood_of(ResponseFamily::student_t);
  Fitted fitted(latent, latent_covariance(0.8, 0.2), student, false, PosteriorKind::laplace);
  const std::vector<double>& precision = fitted.posterior.state().precision;
  REQUIRE(*std::min_element(precision.begin(), precision.end()) < -0.01);
  const std::vector<double> mode = fitted.posterior.state().mean;
  const PosteriorOutcome again = fitted.posterior.fit(fitted.posterior.state(), student, {1e-11, 1}, false, context);
  CHECK(again.value == doctest::Approx(fitted.outcome.value).epsilon(1e-9));
  check_close(fitted.posterior.state().mean, Eigen::Map<const Eigen::VectorXd>(mode.data(), Index(mode.size())), 1e-5);
}

TEST_CASE("predictions and the restored posterior are those of the dense one") {
  const Latent latent(40, 39, 60, false, ResponseFamily::poisson, 11);
  const Covariance covariance = latent_covariance(0.8, 0.3);
  Fitted fitted(latent, covariance, likelihood_of(ResponseFamily::poisson), false);
  SparsePosterior restored(fitted.model, latent.response, PosteriorKind::sparse, {true}, context);
  restored.restore(fitted.posterior.state().mean, fitted.posterior.state().beta, fitted.posterior.state().precision,
                   context);

  const Cloud places = uniform_cloud(7, 2, 99);
  const NeighborTable near = nearest_to(latent.nodes.view(), places.view(), 40, context);
  const std::vector<double> response = fitted.posterior.trend(context).field_response;
  Workspaces workspaces;
  const auto predict = [&](Points at, const NeighborTable& table) {
    return predict_latent(fitted.model, restored, at, table, response, 2, workspaces, context);
  };
  const LatentPrediction prediction = predict(places.view(), near);
  for (Index t = 0; t < 7; ++t) {  // each place by itself, in a workspace that others have used
    NeighborTable own(1, near.k);
    std::copy_n(near[t], near.k, own[0]);
    const LatentPrediction alone = predict({places.view()[t], 1, 2}, own);
    CHECK(alone.mean[0] == prediction.mean[t]);
    CHECK(alone.variance[0] == prediction.variance[t]);
  }

  LatentData elsewhere = latent.data;
  elsewhere.node_of_datum.clear();
  elsewhere.data = places.view();
  elsewhere.data_neighbors = near;
  const reference::DenseLatent at = reference::dense_latent(elsewhere, covariance);
  const reference::DensePosterior dense =
      reference::dense_posterior(reference::dense_latent(latent.data, covariance), latent.response, false, 0.0);
  check_close(prediction.mean, at.see * dense.mean, 1e-5);
  check_close(prediction.variance, at.given + (at.see * dense.covariance * at.see.transpose()).diagonal(), 1e-6);
}

TEST_CASE("draws have the posterior's covariance") {
  const Latent latent(12, 11, 20, false, ResponseFamily::poisson, 21);
  const Fitted fitted(latent, latent_covariance(0.8, 0.3), likelihood_of(ResponseFamily::poisson), false);
  const int count = 20000;
  const std::vector<double> draws = draw_latent(fitted.model, fitted.posterior, count, 5, context).field;
  const Eigen::Map<const Eigen::MatrixXd> sample(draws.data(), 12, count);
  const reference::DensePosterior dense = reference::dense_posterior(
      reference::dense_latent(latent.data, latent_covariance(0.8, 0.3)), latent.response, false, 0.0);
  const std::vector<int>& number = fitted.model.node_number();
  const Eigen::MatrixXd empirical = sample * sample.transpose() / double(count);
  for (int i = 0; i < 12; ++i)
    for (int j = 0; j < 12; ++j) {
      // standard error of a covariance of normals
      const double error = std::sqrt(
          (dense.covariance(i, i) * dense.covariance(j, j) + dense.covariance(i, j) * dense.covariance(i, j)) / count);
      CHECK(std::abs(empirical(number[i], number[j]) - dense.covariance(i, j)) < 4.5 * error);
    }
  CHECK(draw_latent(fitted.model, fitted.posterior, 1, 5, context).field ==
        std::vector<double>(draws.begin(), draws.begin() + 12));
}

TEST_CASE("a fit stops where what is left to gain is below its tolerance") {
  for (const ResponseFamily family :
       {ResponseFamily::gaussian, ResponseFamily::binomial_logit, ResponseFamily::poisson}) {
    CAPTURE(int(family));
    const Latent latent(60, 10, 90, false, family, 17);
    const Likelihood likelihood = likelihood_of(family);
    LatentModel model(latent.data, context);
    SparsePosterior posterior(model, latent.response, PosteriorKind::sparse, {}, context);
    model.set_covariance(latent_covariance(0.8, 0.2), context);
    posterior.fit(posterior.start(std::vector<double>(latent.response.y.size(), 0.1), likelihood, context), likelihood,
                  tight, false, context);
    model.set_covariance(latent_covariance(0.85, 0.19), context);
    const PosteriorOutcome early = posterior.fit(posterior.state(), likelihood, {1e-3, 60}, false, context);
    const PosteriorOutcome late = posterior.fit(posterior.state(), likelihood, tight, false, context);
    CHECK(early.converged);
    CHECK(late.value - early.value < 1.2e-3);
    CHECK(late.value - early.value > -1e-9);
    if (family == ResponseFamily::gaussian) CHECK(early.iterations == 0);
    CHECK(posterior.fit(posterior.state(), likelihood, tight, false, context).iterations == 0);
  }
}

TEST_CASE("large counts among small ones are reached from any reasonable start") {
  Latent latent(60, 12, 90, false, ResponseFamily::poisson, 31);
  for (std::size_t i = 0; i < latent.response.y.size(); i += 7) latent.response.y[i] = 2000.0;
  const Likelihood poisson = likelihood_of(ResponseFamily::poisson);
  LatentModel model(latent.data, context);
  model.set_covariance(latent_covariance(6.0, 0.1), context);
  std::vector<double> from_data(90), common(90, 3.0);
  for (int i = 0; i < 90; ++i) from_data[i] = std::log(latent.response.y[i] + 0.1);
  std::vector<double> values;
  for (const std::vector<double>& start : {from_data, common}) {
    SparsePosterior posterior(model, latent.response, PosteriorKind::sparse, {}, context);
    const PosteriorOutcome outcome =
        posterior.fit(posterior.start(start, poisson, context), poisson, tight, false, context);
    CHECK(outcome.converged);
    values.push_back(outcome.value);
  }
  CHECK(values[0] == doctest::Approx(values[1]).epsilon(1e-9));
}
