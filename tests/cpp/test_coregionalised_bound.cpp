#include <doctest/doctest.h>

#include <Eigen/Cholesky>
#include <cmath>

#include "base/constants.h"
#include "base/error.h"
#include "extended.h"
#include "inducing_fixtures.h"
#include "output_fixtures.h"
#include "response/exact_gp.h"
#include "variational/coregionalised_bound.h"
#include "variational/coregionalised_prediction.h"

using namespace neargp;
using namespace fixtures;

namespace {

OutputRegression regression(const OutputPlaces& data) {
  return {data.places.view(),      data.noise_scale.data(), Index(data.outputs.size()), data.rows.columns,
          data.rows.values.data(), data.outputs.data(),     data.place_of_row.data()};
}

bool everywhere(int, int) { return true; }
bool in_two_patterns(int i, int p) { return p < 2 || i % 3 == 0; }
bool in_more_patterns_than_outputs(int i, int p) { return (((1 + i % 7) >> p) & 1) != 0; }

std::vector<OutputPlaces> all_data(int n, int dim, int columns) {
  return {OutputPlaces(n, dim, columns, everywhere), OutputPlaces(n, dim, columns, in_two_patterns),
          OutputPlaces(n, dim, columns, in_more_patterns_than_outputs)};
}

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

double bound_value(const OutputPlaces& data, const Cloud& inducing, const Covariance& covariance,
                   const BoundSettings& settings) {
  return coregionalised_bound(regression(data), inducing.view(), covariance, settings, false, RunContext{}).value;
}

// The part of the covariances between a's and b's rows that the inducing points explain.
Eigen::MatrixXd known_covariance(const Covariance& covariance, Points inducing, double jitter, Points a,
                                 const std::vector<int>& outputs_a, Points b, const std::vector<int>& outputs_b) {
  Eigen::MatrixXd sum = Eigen::MatrixXd::Zero(a.n, b.n);
  for (const Component& component : covariance.components) {
    Covariance one;
    one.components = {component};
    one.components[0].loadings.clear();
    Eigen::MatrixXd prior = reference::cross_covariance(one, inducing, inducing);
    prior.diagonal().array() += jitter;
    const Eigen::MatrixXd known = reference::cross_covariance(one, a, inducing) *
                                  prior.ldlt().solve(reference::cross_covariance(one, inducing, b));
    Covariance coupled = covariance;
    coupled.components = {component};
    for (Index i = 0; i < a.n; ++i)
      for (Index j = 0; j < b.n; ++j)
        sum(i, j) += known(i, j) *
                     reference::covariance(coupled, a[0], a[0], outputs_a[std::size_t(i)], outputs_b[std::size_t(j)]);
  }
  return sum;
}

// The ELBO by matrices of n x n.
double dense_bound(const OutputPlaces& data, const Cloud& inducing, const Covariance& covariance,
                   const BoundSettings& settings) {
  const LocalData rows = data.view();
  const Index n = rows.coords.n, q = rows.columns - 1;
  Eigen::MatrixXd sigma = known_covariance(covariance, inducing.view(), settings.jitter, rows.coords, data.outputs,
                                           rows.coords, data.outputs);
  const Eigen::MatrixXd full = reference::noisy_covariance(covariance, rows);
  Eigen::ArrayXd noise(n), unexplained(n);
  for (Index i = 0; i < n; ++i) {
    noise[i] = covariance.output_nuggets[std::size_t(data.outputs[std::size_t(i)])] * rows.noise_scale[i];
    unexplained[i] = full(i, i) - noise[i] - sigma(i, i);
  }
  sigma.diagonal() += noise.matrix();
  const Eigen::MatrixXd values = reference::values_of(rows);
  const Eigen::LDLT<Eigen::MatrixXd> factor(sigma);
  const Eigen::MatrixXd design = values.rightCols(q), gram = design.transpose() * factor.solve(design);
  const Eigen::VectorXd beta = gram.ldlt().solve(design.transpose() * factor.solve(values.col(0)));
  const Eigen::VectorXd e = values.col(0) - design * beta;
  double value = -0.5 * (double(n) * log_two_pi + factor.vectorD().array().log().sum() + e.dot(factor.solve(e)));
  if (settings.reml && q > 0) value += 0.5 * (double(q) * log_two_pi - gram.ldlt().vectorD().array().log().sum());
  const Eigen::ArrayXd ratio = unexplained / noise;
  return value - 0.5 * (settings.kind == BoundKind::tight ? ratio.log1p().sum() : ratio.sum());
}

std::vector<int> repeated(int output, Index n) { return std::vector<int>(std::size_t(n), output); }

}  // namespace

TEST_CASE("the bound of several outputs is that of dense formulas, for every model and pattern of what is known") {
  for (const Model& model : models_of_outputs()) {
    CAPTURE(model.name);
    const Cloud inducing = uniform_cloud(6, model.dim, 8);
    for (const OutputPlaces& data : all_data(12, model.dim, 3))
      for (const BoundSettings& settings : all_settings())
        CHECK(bound_value(data, inducing, model.covariance, settings) ==
              doctest::Approx(dense_bound(data, inducing, model.covariance, settings)).epsilon(1e-9));
  }
}

// Each pattern is paired with one setting, in turn. Each model uses three patterns, and each setting every pattern.
TEST_CASE("the gradient of the bound of several outputs is that of differences, loadings and nuggets included" *
          extended) {
  const std::vector<Model> models = models_of_outputs();
  for (std::size_t m = 0; m < models.size(); ++m) {
    const Model& model = models[m];
    CAPTURE(model.name);
    const Cloud inducing = uniform_cloud(5, model.dim, 8);
    const std::vector<OutputPlaces> patterns = all_data(9, model.dim, 3);
    for (std::size_t d = 0; d < patterns.size(); ++d) {
      const OutputPlaces& data = patterns[d];
      const BoundSettings settings = all_settings()[(m + d) % 4];
      CAPTURE(int(settings.kind));
      CAPTURE(settings.reml);
      check_bound_gradient(
          coregionalised_bound(regression(data), inducing.view(), model.covariance, settings, true, RunContext{}),
          inducing, model.covariance,
          [&](const Cloud& at, const Covariance& covariance) { return bound_value(data, at, covariance, settings); });
    }
  }
}

TEST_CASE(
    "independent fields, in which the gradient is computed where all is known, have the bound of the given ones") {
  const Cloud inducing = uniform_cloud(5, 2, 8);
  const OutputPlaces data(20, 2, 3, everywhere);
  for (int number = 0; number < 3; ++number) {
    const Model model = models_of_outputs()[std::size_t(number)];
    CAPTURE(model.name);
    const CollapsedBound given =
        coregionalised_bound(regression(data), inducing.view(), model.covariance, {}, false, RunContext{});
    const CollapsedBound rotated =
        coregionalised_bound(regression(data), inducing.view(), model.covariance, {}, true, RunContext{});
    CHECK(rotated.factor.size() == 0);
    CHECK(rotated.value == doctest::Approx(given.value).epsilon(1e-12));
    CHECK(rotated.unexplained == doctest::Approx(given.unexplained).epsilon(1e-12));
    CHECK(difference(rotated.weights, given.weights) < 1e-10);
    CHECK(difference(rotated.beta, given.beta) < 1e-10);
  }
}

TEST_CASE("one output with one loading is the bound of one output") {
  const Model one = families()[1];
  const Data data(uniform_cloud(40, 2), 3);
  const Cloud inducing = uniform_cloud(7, 2, 8);
  Covariance several = one.covariance;
  several.components[0].loadings = {std::sqrt(one.covariance.components[0].variance)};
  several.output_nuggets = {one.covariance.nugget};
  std::vector<int> places(40);
  std::iota(places.begin(), places.end(), 0);
  const std::vector<int> outputs(40, 0);
  for (const BoundSettings& settings : all_settings()) {
    const CollapsedBound expected =
        collapsed_bound(fixtures::regression(data), inducing.view(), one.covariance, settings, true, RunContext{});
    const CollapsedBound bound = coregionalised_bound(
        {data.cloud.view(), data.noise_scale.data(), 40, 3, data.values.data(), outputs.data(), places.data()},
        inducing.view(), several, settings, true, RunContext{});
    CHECK(bound.value == doctest::Approx(expected.value).epsilon(1e-12));
    CHECK(difference(bound.gradient.positions, expected.gradient.positions) < 1e-10);
    CHECK(difference(bound.beta_covariance, expected.beta_covariance) < 1e-10);
  }
}

TEST_CASE(
    "with an inducing point at each place bound and predictions are those of the exact process of several outputs") {
  for (const Model& model : models_of_outputs()) {
    if (model.covariance.components[0].family == Family::gaussian) continue;  // numerically singular without jitter
    CAPTURE(model.name);
    const Cloud targets = uniform_cloud(5, model.dim, 55);
    for (const OutputPlaces& data : all_data(15, model.dim, 3)) {
      const LikelihoodSums sums = exact_sums(data.view(), model.covariance, false, RunContext{});
      const Eigen::MatrixXd gram = square(sums.gram, 3);
      const Eigen::VectorXd beta = gram.bottomRightCorner(2, 2).ldlt().solve(gram.bottomLeftCorner(2, 1));
      const double rss = gram(0, 0) - beta.dot(gram.col(0).tail(2));
      for (BoundSettings settings : all_settings()) {
        if (settings.reml) continue;
        settings.jitter = 1e-12;
        const CollapsedBound bound =
            coregionalised_bound(regression(data), data.places.view(), model.covariance, settings, false, RunContext{});
        CHECK(difference(bound.beta, beta) < 1e-8);
        CHECK(bound.value ==
              doctest::Approx(-0.5 * (double(data.outputs.size()) * log_two_pi + sums.log_det + rss)).epsilon(1e-8));
        const CoregionalisedPrediction predicted =
            coregionalised_prediction(targets.view(), data.places.view(), model.covariance, settings.jitter,
                                      bound.weights, bound.factor, RunContext{});
        for (int p = 0; p < 3; ++p) {
          const std::vector<int> wanted = repeated(p, 5);
          const Kriging expected =
              exact_krige(data.view(), targets.view(), model.covariance, RunContext{}, wanted.data());
          const int pair = p == 0 ? 0 : p == 1 ? 3 : 5;
          for (Index t = 0; t < 5; ++t) {
            for (int c = 0; c < 3; ++c)
              CHECK(predicted.weighted(p * 5 + t, c) ==
                    doctest::Approx(expected.weighted[std::size_t(t * 3 + c)]).epsilon(1e-7));
            CHECK(predicted.unexplained(t, pair) + predicted.posterior(t, pair) ==
                  doctest::Approx(expected.variance[std::size_t(t)]).epsilon(1e-7));
          }
        }
      }
    }
  }
}

TEST_CASE("predictions of several outputs are those of dense formulas, covariances between outputs included") {
  for (const Model& model : models_of_outputs()) {
    CAPTURE(model.name);
    const OutputPlaces data(12, model.dim, 2, in_two_patterns);
    const Cloud inducing = uniform_cloud(6, model.dim, 8), targets = uniform_cloud(4, model.dim, 55);
    const CollapsedBound bound =
        coregionalised_bound(regression(data), inducing.view(), model.covariance, {}, false, RunContext{});
    const CoregionalisedPrediction predicted = coregionalised_prediction(
        targets.view(), inducing.view(), model.covariance, 1e-6, bound.weights, bound.factor, RunContext{});
    const LocalData rows = data.view();
    const auto known = [&](Points a, const std::vector<int>& outputs_a, Points b, const std::vector<int>& outputs_b) {
      return known_covariance(model.covariance, inducing.view(), 1e-6, a, outputs_a, b, outputs_b);
    };
    Eigen::MatrixXd sigma = known(rows.coords, data.outputs, rows.coords, data.outputs);
    for (Index i = 0; i < rows.coords.n; ++i)
      sigma(i, i) += model.covariance.output_nuggets[std::size_t(data.outputs[std::size_t(i)])] * rows.noise_scale[i];
    const Eigen::LDLT<Eigen::MatrixXd> factor(sigma);
    const Eigen::MatrixXd solved = factor.solve(reference::values_of(rows));
    int pair = 0;
    for (int q = 0; q < 3; ++q) {
      const Eigen::MatrixXd cross_q = known(targets.view(), repeated(q, 4), rows.coords, data.outputs);
      CHECK(difference(predicted.weighted.middleRows(q * 4, 4), cross_q * solved) < 1e-8);
      for (int p = q; p < 3; ++p, ++pair) {
        const Eigen::MatrixXd cross_p = known(targets.view(), repeated(p, 4), rows.coords, data.outputs);
        const Eigen::VectorXd own = known(targets.view(), repeated(p, 4), targets.view(), repeated(q, 4)).diagonal();
        const Eigen::VectorXd full =
            Eigen::VectorXd::Constant(4, reference::covariance(model.covariance, rows.coords[0], rows.coords[0], p, q));
        CHECK(difference(predicted.unexplained.col(pair), full - own) < 1e-9);
        CHECK(difference(predicted.posterior.col(pair),
                         own - (cross_p * factor.solve(cross_q.transpose())).diagonal()) < 1e-9);
      }
    }
  }
}

TEST_CASE("chunks change nothing but the order of sums of several outputs, threads nothing at all") {
  const Model model = models_of_outputs()[3];
  const OutputPlaces data(120, model.dim, 3, in_two_patterns);
  const Cloud inducing = uniform_cloud(9, model.dim, 8), targets = uniform_cloud(200, model.dim, 9);
  BoundSettings settings;
  const auto with = [&](int threads) {
    return coregionalised_bound(regression(data), inducing.view(), model.covariance, settings, true,
                                with_threads(threads));
  };
  const CollapsedBound whole = with(1);
  settings.chunk_rows = 7;
  const CollapsedBound one = with(1);
  CHECK(one.value == doctest::Approx(whole.value).epsilon(1e-12));
  CHECK(difference(one.gradient.positions, whole.gradient.positions) < 1e-10);
  const auto predict = [&](Points at, int threads) {
    return coregionalised_prediction(at, inducing.view(), model.covariance, 1e-6, one.weights, one.factor,
                                     with_threads(threads));
  };
  const CoregionalisedPrediction all = predict(targets.view(), 1);
  for (const int threads : {2, 4}) {
    const CollapsedBound many = with(threads);
    CHECK(many.value == one.value);
    CHECK(many.gradient.positions == one.gradient.positions);
    CHECK(many.gradient.parameters == one.gradient.parameters);
    CHECK(many.weights == one.weights);
    CHECK(predict(targets.view(), threads).posterior == all.posterior);
  }
  for (const Index t : {0, 63, 64, 199}) {
    const CoregionalisedPrediction single = predict({targets.view()[t], 1, model.dim}, 1);
    CHECK(single.posterior.row(0) == all.posterior.row(t));
    CHECK(single.unexplained.row(0) == all.unexplained.row(t));
    for (int p = 0; p < 3; ++p) CHECK(single.weighted.row(p) == all.weighted.row(p * 200 + t));
  }
}

TEST_CASE("places are grouped by what is known there, or by output where there are more patterns") {
  const OutputPlaces two(12, 2, 1, in_two_patterns), many(14, 2, 1, in_more_patterns_than_outputs);
  const std::vector<OutputGroup> by_pattern = output_groups(regression(two), 3);
  REQUIRE(by_pattern.size() == 2);
  CHECK(by_pattern[0].outputs == std::vector<int>{0, 1});
  CHECK(by_pattern[0].size() == 8);
  CHECK(by_pattern[1].outputs == std::vector<int>{0, 1, 2});
  CHECK(by_pattern[1].size() == 4);
  CHECK(by_pattern[1].weights[1] == 1.0 / two.noise_scale[3]);
  const std::vector<OutputGroup> by_output = output_groups(regression(many), 3);
  REQUIRE(by_output.size() == 3);
  for (int p = 0; p < 3; ++p) {
    CHECK(by_output[std::size_t(p)].outputs == std::vector<int>{p});
    CHECK(by_output[std::size_t(p)].size() == 8);
  }
}

TEST_CASE("several outputs without noise are refused, as are two rows of one output at one place") {
  Model model = models_of_outputs()[0];
  OutputPlaces data(6, 2, 1, everywhere);
  const Cloud inducing = uniform_cloud(3, 2, 8);
  model.covariance.output_nuggets[1] = 0.0;
  CHECK_THROWS_AS(bound_value(data, inducing, model.covariance, {}), Error);
  model.covariance.output_nuggets[1] = 0.1;
  data.place_of_row[1] = 0;
  CHECK_THROWS_AS(bound_value(data, inducing, model.covariance, {}), Error);
}
