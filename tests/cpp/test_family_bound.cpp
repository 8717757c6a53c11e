#include <doctest/doctest.h>

#include <cmath>

#include "family_cases.h"
#include "inducing_fixtures.h"
#include "latent_reference.h"
#include "variational/collapsed_prediction.h"
#include "variational/family_bound.h"

using namespace neargp;
using namespace fixtures;

namespace {

FamilyBoundSettings settings_of(BoundKind kind) {
  FamilyBoundSettings settings;
  settings.kind = kind;
  settings.jitter = 1e-4;  // that of fixtures::Latent
  settings.tolerance = 1e-11;
  settings.max_iterations = 500;
  return settings;
}

// Rows between inducing points.
struct Case {
  Latent latent;
  Likelihood likelihood;
  FamilyPosterior start;

  Case(ResponseFamily family, int inducing, int rows)
      : latent(inducing, inducing, rows, true, family, 7), likelihood(likelihood_of(family)),
        start(family_posterior_at(std::vector<double>(std::size_t(rows), 0.1), latent.response, likelihood, {})) {}

  FamilyBound at(const Covariance& covariance, const FamilyBoundSettings& settings, bool derivatives = false) const {
    return at(covariance, latent.nodes, likelihood, settings, derivatives);
  }
  FamilyBound at(const Covariance& covariance, const Cloud& inducing, const Likelihood& family,
                 const FamilyBoundSettings& settings, bool derivatives = false) const {
    return family_bound(latent.response, latent.places.view(), inducing.view(), covariance, family, start, settings,
                        derivatives, RunContext{});
  }
};

void check_close(const Eigen::VectorXd& value, const Eigen::VectorXd& expected, double tolerance) {
  REQUIRE(value.size() == expected.size());
  CHECK((value - expected).cwiseAbs().maxCoeff() < tolerance);
}

}  // namespace

TEST_CASE("the bound of a family and its posterior are those of dense matrices") {
  for (const ResponseFamily family : {ResponseFamily::gaussian, ResponseFamily::poisson}) {
    CAPTURE(int(family));
    const Case problem(family, 20, 60);
    const Covariance covariance = latent_covariance(0.8, 0.3);
    const FamilyBound bound = problem.at(covariance, settings_of(BoundKind::standard));
    REQUIRE(bound.failure == BoundFailure::none);
    CHECK(bound.converged);
    const reference::DenseLatent model = reference::dense_latent(problem.latent.data, covariance);
    const reference::DensePosterior dense =
        reference::dense_posterior(model, problem.latent.response, family == ResponseFamily::gaussian, 0.2);
    CHECK(bound.value == doctest::Approx(dense.value).epsilon(1e-9));
    check_close(bound.beta, dense.beta, 1e-5);
    CHECK(difference(bound.beta_covariance, dense.trend_covariance) < 1e-5);
    check_close(bound.variance + bound.unexplained, dense.variance_at_data, 1e-6);
    const std::vector<double> trend = problem.latent.response.trend({dense.beta.data(), dense.beta.data() + 2});
    check_close(bound.linear_predictor, Eigen::Map<const Eigen::VectorXd>(trend.data(), 60) + model.see * dense.mean,
                1e-5);
  }
}

// Without effects, and with one in the place of a coefficient of the trend.
TEST_CASE("the bound of a gaussian response is the collapsed one") {
  for (const int effects : {0, 1}) {
    CAPTURE(effects);
    const Case problem(ResponseFamily::gaussian, 12, 50);
    Covariance covariance = latent_covariance(0.8, 0.3);
    FamilyBoundSettings of_family = settings_of(BoundKind::standard);
    of_family.effects = effects;
    const FamilyBound bound = problem.at(covariance, of_family, true);
    const LatentResponse& response = problem.latent.response;
    std::vector<double> values, noise;
    for (std::size_t i = 0; i < 50; ++i) {
      values.insert(values.end(),
                    {response.y[i] - response.offset[i], response.design[2 * i], response.design[2 * i + 1]});
      noise.push_back(1.0 / response.weights[i]);
    }
    covariance.nugget = 0.2;
    covariance.active.clear();
    BoundSettings settings;
    settings.kind = BoundKind::standard;
    settings.jitter = 1e-4;
    settings.effects = effects;
    const RegressionData data{problem.latent.places.view(), 3, values.data(), noise.data()};
    const CollapsedBound collapsed = collapsed_bound(data, problem.latent.nodes.view(), covariance, settings, true, {});
    CHECK(bound.iterations <= 2);
    CHECK(bound.value == doctest::Approx(collapsed.value).epsilon(1e-11));
    CHECK(difference(bound.weights, collapsed.weights) < 1e-9);
    CHECK(difference(bound.factor, collapsed.factor) < 1e-10);
    CHECK(difference(bound.beta_covariance, collapsed.beta_covariance) < 1e-10);
    if (effects > 0) CHECK(difference(bound.effects, collapsed.effects) < 1e-10);
    CHECK(difference(bound.gradient.positions, collapsed.gradient.positions) < 1e-8);
    CHECK(bound.gradient.parameters[0] == doctest::Approx(collapsed.gradient.parameters[0]).epsilon(1e-8));
    CHECK(bound.d_likelihood[0] == doctest::Approx(collapsed.gradient.parameters.back()).epsilon(1e-8));
  }
}

TEST_CASE("the gradient of a family's bound is that of differences, with effects, too") {
  for (const ResponseFamily family : all_families)
    for (const BoundKind kind : {BoundKind::standard, BoundKind::tight}) {
      CAPTURE(int(family));
      CAPTURE(int(kind));
      const Case problem(family, 6, 40);
      const Covariance covariance = latent_covariance(0.8, 0.3);
      FamilyBoundSettings settings = settings_of(kind);
      settings.effects = family == ResponseFamily::poisson ? 1 : 0;
      const FamilyBound bound = problem.at(covariance, settings, true);
      REQUIRE(bound.failure == BoundFailure::none);
      CHECK(difference(bound.gradient.positions, position_differences(problem.latent.nodes, 1e-4, [&](const Cloud& at) {
                         return problem.at(covariance, at, problem.likelihood, settings).value;
                       })) < 2e-5);
      CHECK(difference(parameter_gradient(bound.gradient),
                       parameter_differences(covariance, 1e-4, [&](const Covariance& at) {
                         return problem.at(at, settings).value;
                       })) < 2e-5);
      for (std::size_t a = 0; a < problem.likelihood.parameters.size(); ++a)
        CHECK(bound.d_likelihood[a] == doctest::Approx(derivative(1e-4, [&](double by) {
                                         Likelihood moved = problem.likelihood;
                                         moved.parameters[a] *= std::exp(by);
                                         return problem.at(covariance, problem.latent.nodes, moved, settings).value;
                                       })).epsilon(2e-5));
    }
}

TEST_CASE("the tight bound of a family is at least the standard one, and the same where nothing is unexplained") {
  for (const ResponseFamily family : all_families) {
    CAPTURE(int(family));
    const Case problem(family, 8, 60);
    const Covariance covariance = latent_covariance(0.8, 0.2);
    const FamilyBound standard = problem.at(covariance, settings_of(BoundKind::standard));
    const FamilyBound tight = problem.at(covariance, settings_of(BoundKind::tight));
    CHECK(tight.value > standard.value);
    CHECK(tight.end.unexplained_share < 1.0);
    FamilyBoundSettings settings = settings_of(BoundKind::tight);
    settings.jitter = 1e-10;
    CHECK(problem.at(covariance, problem.latent.places, problem.likelihood, settings).end.unexplained_share >
          1.0 - 1e-7);
  }
}

TEST_CASE("a search that begins where one has ended takes no more than a step") {
  Case problem(ResponseFamily::negative_binomial, 10, 60);
  const Covariance covariance = latent_covariance(0.8, 0.2);
  const FamilyBound first = problem.at(covariance, settings_of(BoundKind::tight));
  CHECK(first.iterations > 2);
  problem.start = first.end;
  const FamilyBound again = problem.at(covariance, settings_of(BoundKind::tight));
  CHECK(again.iterations <= 1);
  CHECK(again.value == doctest::Approx(first.value).epsilon(1e-12));
}

TEST_CASE("chunks of a family's bound change nothing but the order of sums, threads nothing at all") {
  const Case problem(ResponseFamily::poisson, 9, 300);
  const Covariance covariance = latent_covariance(0.8, 0.2);
  FamilyBoundSettings settings = settings_of(BoundKind::tight);
  const FamilyBound whole = problem.at(covariance, settings, true);
  settings.chunk_rows = 7;
  const FamilyBound one = problem.at(covariance, settings, true);
  CHECK(one.value == doctest::Approx(whole.value).epsilon(1e-10));
  CHECK(difference(one.gradient.positions, whole.gradient.positions) < 1e-6);
  for (const int threads : {2, 4}) {
    const FamilyBound many =
        family_bound(problem.latent.response, problem.latent.places.view(), problem.latent.nodes.view(), covariance,
                     problem.likelihood, problem.start, settings, true, with_threads(threads));
    CHECK(many.value == one.value);
    CHECK(many.weights == one.weights);
    CHECK(many.gradient.positions == one.gradient.positions);
    CHECK(many.gradient.parameters == one.gradient.parameters);
  }
}
