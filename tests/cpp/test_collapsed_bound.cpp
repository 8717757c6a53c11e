#include <doctest/doctest.h>

#include <Eigen/Cholesky>
#include <cmath>

#include "base/constants.h"
#include "base/error.h"
#include "extended.h"
#include "inducing_fixtures.h"
#include "response/exact_gp.h"
#include "variational/collapsed_prediction.h"

using namespace neargp;
using namespace fixtures;

namespace {

BoundSettings settings_of(BoundKind kind, bool reml = false) {
  BoundSettings settings;
  settings.kind = kind;
  settings.reml = reml;
  return settings;
}

std::vector<BoundSettings> all_settings() {
  return {settings_of(BoundKind::tight), settings_of(BoundKind::standard), settings_of(BoundKind::tight, true),
          settings_of(BoundKind::standard, true)};
}

double bound_value(const Data& data, const Cloud& inducing, const Covariance& covariance,
                   const BoundSettings& settings) {
  return collapsed_bound(regression(data), inducing.view(), covariance, settings, false, RunContext{}).value;
}

// The ELBO by matrices of n x n.
double dense_bound(const Data& data, const Cloud& inducing, const Covariance& covariance,
                   const BoundSettings& settings) {
  const Index n = data.cloud.view().n, q = data.columns - 1 - settings.effects;
  Eigen::MatrixXd prior = reference::cross_covariance(covariance, inducing.view(), inducing.view());
  const double variance = prior(0, 0);
  prior.diagonal().array() += settings.jitter * variance;
  const Eigen::MatrixXd cross = reference::cross_covariance(covariance, inducing.view(), data.cloud.view());
  Eigen::MatrixXd sigma = cross.transpose() * prior.ldlt().solve(cross);
  const Eigen::ArrayXd unexplained = variance - sigma.diagonal().array();
  const Eigen::ArrayXd noise = covariance.nugget * Eigen::Map<const Eigen::ArrayXd>(data.noise_scale.data(), n);
  sigma.diagonal() += noise.matrix();
  const Eigen::MatrixXd values = reference::values_of(data.view());
  const Eigen::MatrixXd effects = values.rightCols(settings.effects);
  sigma += effects * effects.transpose();
  const Eigen::LDLT<Eigen::MatrixXd> factor(sigma);
  const Eigen::MatrixXd design = values.middleCols(1, q), gram = design.transpose() * factor.solve(design);
  const Eigen::VectorXd beta = gram.ldlt().solve(design.transpose() * factor.solve(values.col(0)));
  const Eigen::VectorXd e = values.col(0) - design * beta;
  double value = -0.5 * (double(n) * log_two_pi + factor.vectorD().array().log().sum() + e.dot(factor.solve(e)));
  if (settings.reml && q > 0) value += 0.5 * (double(q) * log_two_pi - gram.ldlt().vectorD().array().log().sum());
  const Eigen::ArrayXd ratio = unexplained / noise;
  return value - 0.5 * (settings.kind == BoundKind::tight ? ratio.log1p().sum() : ratio.sum());
}

double log_evidence(const Data& data, const Covariance& covariance) {
  const LikelihoodSums sums = exact_sums(data.view(), covariance, false, RunContext{});
  return -0.5 * (double(data.cloud.view().n) * log_two_pi + sums.log_det + sums.gram[0]);
}

Cloud first_points(const Cloud& cloud, int n) {
  return {std::vector<double>(cloud.coords.begin(), cloud.coords.begin() + std::ptrdiff_t(n) * cloud.dim), cloud.dim};
}

}  // namespace

TEST_CASE("the bound is that of dense formulas, for every covariance, with unequal weights and a trend") {
  for (const Model& model : all_models()) {
    CAPTURE(model.name);
    const Data data(uniform_cloud(25, model.dim), 3);
    const Cloud inducing = uniform_cloud(7, model.dim, 8);
    for (const BoundSettings& settings : all_settings())
      CHECK(bound_value(data, inducing, model.covariance, settings) ==
            doctest::Approx(dense_bound(data, inducing, model.covariance, settings)).epsilon(1e-9));
  }
}

// Each covariance is paired with one setting, in turn. Covariances differ in their own derivatives, and settings in the
// terms that are added to these.
TEST_CASE("the gradient of the bound is that of differences, for every covariance" * extended) {
  const std::vector<Model> models = all_models();
  for (std::size_t m = 0; m < models.size(); ++m) {
    const Model& model = models[m];
    const BoundSettings settings = all_settings()[m % 4];
    CAPTURE(model.name);
    CAPTURE(int(settings.kind));
    CAPTURE(settings.reml);
    const Data data(uniform_cloud(15, model.dim), 3);
    const Cloud inducing = uniform_cloud(6, model.dim, 8);
    check_bound_gradient(
        collapsed_bound(regression(data), inducing.view(), model.covariance, settings, true, RunContext{}), inducing,
        model.covariance,
        [&](const Cloud& at, const Covariance& covariance) { return bound_value(data, at, covariance, settings); });
  }
}

TEST_CASE("effects are a part of the covariance matrix that no trace term has" * extended) {
  const Model model = structures()[1];
  const Data data(uniform_cloud(25, model.dim), 5);
  const Cloud inducing = uniform_cloud(7, model.dim, 8);
  for (BoundSettings settings : all_settings()) {
    settings.effects = 3;
    CAPTURE(int(settings.kind));
    CAPTURE(settings.reml);
    const auto value = [&](const Cloud& at, const Covariance& covariance) {
      return bound_value(data, at, covariance, settings);
    };
    CHECK(value(inducing, model.covariance) ==
          doctest::Approx(dense_bound(data, inducing, model.covariance, settings)).epsilon(1e-9));
    check_bound_gradient(
        collapsed_bound(regression(data), inducing.view(), model.covariance, settings, true, RunContext{}), inducing,
        model.covariance, value);
  }
}

// With E = Z L of the effects' columns, E' dF/dE = u u' + C^-1 - I.
TEST_CASE("the derivative of the bound in the effects' columns is that of differences" * extended) {
  const Model model = structures()[1];
  const Data data(uniform_cloud(25, model.dim), 5);
  const Cloud inducing = uniform_cloud(7, model.dim, 8);
  for (BoundSettings settings : all_settings()) {
    settings.effects = 2;
    const CollapsedBound bound =
        collapsed_bound(regression(data), inducing.view(), model.covariance, settings, false, RunContext{});
    const Eigen::VectorXd u = bound.beta.tail(2);
    const Eigen::MatrixXd found = u * u.transpose() + bound.effects - Eigen::MatrixXd::Identity(2, 2);
    for (int i = 0; i < 2; ++i)
      for (int j = 0; j < 2; ++j) {
        const double difference = derivative(1e-4, [&](double by) {
          Data changed = data;
          for (Index row = 0; row < data.cloud.view().n; ++row)
            changed.values[std::size_t(row * 5 + 3 + j)] += by * data.values[std::size_t(row * 5 + 3 + i)];
          return bound_value(changed, inducing, model.covariance, settings);
        });
        CHECK(found(i, j) == doctest::Approx(difference).epsilon(1e-7));
      }
  }
}

TEST_CASE("the standard bound is at most the tight one, and that at most the log evidence") {
  for (int seed = 1; seed <= 20; ++seed) {
    CAPTURE(seed);
    const Model model = structures()[std::size_t(seed) % structures().size()];
    const Data data(uniform_cloud(30, model.dim, std::uint64_t(seed)), 1);
    const Cloud inducing = uniform_cloud(4 + seed % 9, model.dim, std::uint64_t(100 + seed));
    const double standard = bound_value(data, inducing, model.covariance, settings_of(BoundKind::standard));
    const double tight = bound_value(data, inducing, model.covariance, settings_of(BoundKind::tight));
    CHECK(standard <= tight);
    CHECK(tight <= log_evidence(data, model.covariance));
  }
}

TEST_CASE("the standard bound rises with each inducing point that is added") {
  const Model model = families()[2];
  const Data data(uniform_cloud(40, 2), 1);
  const Cloud all = uniform_cloud(16, 2, 31);
  double before = -INFINITY;
  for (int m = 1; m <= 16; ++m) {
    const double value = bound_value(data, first_points(all, m), model.covariance, settings_of(BoundKind::standard));
    CHECK(value >= before);
    before = value;
  }
}

TEST_CASE("with an inducing point on each row bound and predictions are those of the exact process") {
  const Model model = families()[1];
  const Data data(uniform_cloud(30, 2), 3);
  const Cloud targets = uniform_cloud(9, 2, 55);
  const LikelihoodSums sums = exact_sums(data.view(), model.covariance, false, RunContext{});
  const Kriging expected = exact_krige(data.view(), targets.view(), model.covariance, RunContext{});
  for (BoundSettings settings : all_settings()) {
    if (settings.reml) continue;
    settings.jitter = 1e-12;
    const CollapsedBound bound =
        collapsed_bound(regression(data), data.cloud.view(), model.covariance, settings, false, RunContext{});
    const Eigen::MatrixXd gram = square(sums.gram, 3);
    const Eigen::VectorXd beta = gram.bottomRightCorner(2, 2).ldlt().solve(gram.bottomLeftCorner(2, 1));
    CHECK(difference(bound.beta, beta) < 1e-8);
    const double rss = gram(0, 0) - beta.dot(gram.col(0).tail(2));
    CHECK(bound.value == doctest::Approx(-0.5 * (30 * log_two_pi + sums.log_det + rss)).epsilon(1e-8));
    const CollapsedPrediction predicted =
        collapsed_prediction(targets.view(), InducingPrior(data.cloud.view(), model.covariance, settings.jitter),
                             bound.weights, bound.factor, RunContext{});
    for (Index t = 0; t < 9; ++t) {
      for (int c = 0; c < 3; ++c)
        CHECK(predicted.weighted(t, c) == doctest::Approx(expected.weighted[t * 3 + c]).epsilon(1e-7));
      CHECK(predicted.unexplained[t] + predicted.posterior[t] == doctest::Approx(expected.variance[t]).epsilon(1e-7));
    }
  }
}

TEST_CASE("chunks change nothing but the order of sums, threads nothing at all") {
  const Model model = structures()[1];
  const Data data(uniform_cloud(300, model.dim), 3);
  const Cloud inducing = uniform_cloud(9, model.dim, 8);
  BoundSettings settings;
  const CollapsedBound whole =
      collapsed_bound(regression(data), inducing.view(), model.covariance, settings, true, RunContext{});
  settings.chunk_rows = 7;
  const CollapsedBound one =
      collapsed_bound(regression(data), inducing.view(), model.covariance, settings, true, with_threads(1));
  CHECK(one.value == doctest::Approx(whole.value).epsilon(1e-12));
  CHECK(difference(one.gradient.positions, whole.gradient.positions) < 1e-11);
  for (const int threads : {2, 4}) {
    const CollapsedBound many =
        collapsed_bound(regression(data), inducing.view(), model.covariance, settings, true, with_threads(threads));
    CHECK(many.value == one.value);
    CHECK(many.gradient.positions == one.gradient.positions);
    CHECK(many.gradient.parameters == one.gradient.parameters);
    CHECK(many.weights == one.weights);
  }
}

TEST_CASE("a shift of all places changes nothing, nor does a unit of length") {
  Model model = families()[3];
  const Data data(uniform_cloud(30, 2), 2);
  const Cloud inducing = uniform_cloud(6, 2, 8);
  const CollapsedBound bound =
      collapsed_bound(regression(data), inducing.view(), model.covariance, {}, true, RunContext{});
  Data moved_data = data;
  Cloud moved_inducing = inducing;
  for (double& x : moved_data.cloud.coords) x = 1024.0 + 2.0 * x;
  for (double& x : moved_inducing.coords) x = 1024.0 + 2.0 * x;
  model.covariance.components[0].range[0] *= 2.0;
  const CollapsedBound moved =
      collapsed_bound(regression(moved_data), moved_inducing.view(), model.covariance, {}, true, RunContext{});
  CHECK(moved.value == doctest::Approx(bound.value).epsilon(1e-10));
  CHECK(difference(2.0 * moved.gradient.positions, bound.gradient.positions) < 1e-8);
}

TEST_CASE("a prediction depends on its own place alone") {
  const Model model = structures()[0];
  const Data data(uniform_cloud(60, model.dim), 2);
  const Cloud inducing = uniform_cloud(13, model.dim, 8), targets = uniform_cloud(700, model.dim, 9);
  const CollapsedBound bound =
      collapsed_bound(regression(data), inducing.view(), model.covariance, {}, false, RunContext{});
  const InducingPrior prior(inducing.view(), model.covariance, 1e-6);
  const auto predict = [&](Points at) {
    return collapsed_prediction(at, prior, bound.weights, bound.factor, with_threads(2));
  };
  const CollapsedPrediction all = predict(targets.view());
  for (const Index t : {0, 5, 255, 256, 699}) {
    const CollapsedPrediction one = predict({targets.view()[t], 1, model.dim});
    CHECK(one.weighted.row(0) == all.weighted.row(t));
    CHECK(one.posterior[0] == all.posterior[t]);
    CHECK(one.unexplained[0] == all.unexplained[t]);
  }
}

TEST_CASE("features of places together give their joint distribution") {
  const Model model = families()[1];
  const Cloud inducing = uniform_cloud(8, 2, 8), targets = uniform_cloud(5, 2, 9);
  const InducingFeatures given =
      inducing_features(targets.view(), InducingPrior(inducing.view(), model.covariance, 1e-6), RunContext{});
  CHECK(difference(given.features.transpose() * given.features + given.unexplained,
                   reference::cross_covariance(model.covariance, targets.view(), targets.view())) < 1e-12);
}

TEST_CASE("a bound without noise is refused, and coinciding points without jitter are a failure that is told") {
  Model model = families()[1];
  const Data data(uniform_cloud(12, 2), 2);
  Cloud inducing = uniform_cloud(3, 2, 8);
  for (int d = 0; d < 2; ++d) inducing.coords[std::size_t(2 + d)] = inducing.coords[std::size_t(d)];
  BoundSettings settings;
  settings.jitter = 0.0;
  const CollapsedBound bound =
      collapsed_bound(regression(data), inducing.view(), model.covariance, settings, true, RunContext{});
  CHECK(bound.failure == BoundFailure::prior);
  CHECK(bound.value == -INFINITY);
  model.covariance.nugget = 0.0;
  CHECK_THROWS_AS(collapsed_bound(regression(data), inducing.view(), model.covariance, {}, false, RunContext{}), Error);
}
