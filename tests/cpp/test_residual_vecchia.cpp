#include <doctest/doctest.h>

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <cmath>

#include "base/constants.h"
#include "extended.h"
#include "inducing_fixtures.h"
#include "residual_reference.h"
#include "response/exact_gp.h"
#include "response/residual_vecchia.h"

using namespace neargp;
using namespace fixtures;

namespace {

constexpr double jitter = 1e-6;

ResidualVecchia evaluate(const Data& data, const Cloud& inducing, const NeighborTable& neighbors,
                         const Covariance& covariance, bool derivatives = false, int threads = 1,
                         double with_jitter = jitter) {
  RunContext context;
  context.threads = threads;
  return residual_vecchia(regression(data), inducing.view(), neighbors, covariance, with_jitter, derivatives, context);
}

double exact_value(const Data& data, const Covariance& covariance) {
  const LikelihoodSums sums = exact_sums(data.view(), covariance, false, RunContext{});
  const Eigen::MatrixXd gram = square(sums.gram, data.columns);
  const Eigen::Index q = data.columns - 1;
  const Eigen::VectorXd beta = gram.bottomRightCorner(q, q).ldlt().solve(gram.bottomLeftCorner(q, 1));
  const double rss = gram(0, 0) - gram.bottomLeftCorner(q, 1).col(0).dot(beta);
  return -0.5 * (double(data.cloud.view().n) * log_two_pi + sums.log_det + rss);
}

}  // namespace

TEST_CASE(
    "the likelihood is that of the dense covariance matrix, for every covariance, with unequal noise and a trend") {
  for (const Model& model : all_models()) {
    CAPTURE(model.name);
    const Data data(uniform_cloud(40, model.dim), 3);
    const Cloud inducing = uniform_cloud(9, model.dim, 8);
    const NeighborTable neighbors = neighbors_before(data, 5);
    const ResidualVecchia result = evaluate(data, inducing, neighbors, model.covariance);
    const reference::LowRankVecchia expected(data.view(), inducing.view(), neighbors, model.covariance, jitter);
    CHECK(result.value == doctest::Approx(expected.log_likelihood()).epsilon(1e-12));
    CHECK(difference(result.beta, expected.beta()) < 1e-9);
    CHECK(difference(result.beta_covariance, expected.beta_covariance()) < 1e-9);
  }
}

TEST_CASE("the gradient of the likelihood is that of differences, for every covariance" * extended) {
  for (const Model& model : all_models()) {
    CAPTURE(model.name);
    const Data data(uniform_cloud(25, model.dim), 3);
    const Cloud inducing = uniform_cloud(6, model.dim, 8);
    const NeighborTable neighbors = neighbors_before(data, 4);
    const ResidualVecchia result = evaluate(data, inducing, neighbors, model.covariance, true);
    const Eigen::VectorXd expected = parameter_differences(model.covariance, 1e-3, [&](const Covariance& covariance) {
      return evaluate(data, inducing, neighbors, covariance).value;
    });
    CHECK(difference(parameter_gradient(result.gradient), expected) < 1e-7);
    const Eigen::MatrixXd moved = position_differences(inducing, 1e-4, [&](const Cloud& positions) {
      return evaluate(data, positions, neighbors, model.covariance).value;
    });
    CHECK(difference(result.gradient.positions, moved) < 1e-7);
  }
}

TEST_CASE("the derivative in one parameter does not depend on which others are wanted" * extended) {
  for (const Model& model : all_models()) {
    CAPTURE(model.name);
    const Data data(uniform_cloud(25, model.dim), 3);
    const Cloud inducing = uniform_cloud(6, model.dim, 8);
    const NeighborTable neighbors = neighbors_before(data, 4);
    const std::vector<double> all = evaluate(data, inducing, neighbors, model.covariance, true).gradient.parameters;
    for (int a = 0; a < model.covariance.parameters(); ++a) {
      if (!model.covariance.is_active(a)) continue;
      CAPTURE(a);
      Covariance one = model.covariance;
      one.active.assign(std::size_t(one.parameters()), 0);
      one.active[std::size_t(a)] = 1;
      CHECK(evaluate(data, inducing, neighbors, one, true).gradient.parameters[std::size_t(a)] ==
            doctest::Approx(all[std::size_t(a)]).epsilon(1e-10));
    }
  }
}

TEST_CASE("with all earlier rows for neighbours the likelihood is exact") {
  const Model model = all_models().front();
  const Data data(uniform_cloud(30, model.dim), 2);
  const ResidualVecchia result =
      evaluate(data, uniform_cloud(8, model.dim, 3), neighbors_before(data, 29), model.covariance);
  CHECK(result.value == doctest::Approx(exact_value(data, model.covariance)).epsilon(1e-10));
}

TEST_CASE("with inducing points at the rows the likelihood is exact, whatever the neighbours") {
  const Model model = all_models().front();
  const Data data(uniform_cloud(30, model.dim), 2);
  const ResidualVecchia result =
      evaluate(data, data.cloud, neighbors_before(data, 2), model.covariance, false, 1, 1e-12);
  CHECK(result.value == doctest::Approx(exact_value(data, model.covariance)).epsilon(1e-8));
}

TEST_CASE("far from inducing points the likelihood and its gradient are Vecchia's") {
  for (const Model& model : families()) {
    const Family family = model.covariance.components[0].family;
    if (family == Family::cauchy || family == Family::wave) continue;  // their covariance does not vanish
    CAPTURE(model.name);
    const Data data(uniform_cloud(50, model.dim), 2);
    Cloud far = uniform_cloud(3, model.dim, 4);
    for (double& x : far.coords) x += 1e6;
    const NeighborTable neighbors = neighbors_before(data, 6);
    const ResidualVecchia result = evaluate(data, far, neighbors, model.covariance, true);
    LocalProblem problem(data.view(), neighbors, {}, RunContext{});
    const ObjectiveGradient expected = conditional_gradient(
        problem, model.covariance, {result.beta.data(), result.beta.data() + result.beta.size()}, RunContext{});
    CHECK(result.value == doctest::Approx(expected.value).epsilon(1e-12));
    const Eigen::Map<const Eigen::VectorXd> gradient(expected.gradient.data(), Index(expected.gradient.size()));
    CHECK(difference(parameter_gradient(result.gradient), gradient) < 1e-10);
  }
}

TEST_CASE("likelihood and gradient are the same on any number of threads") {
  const Model model = all_models().back();
  const Data data(uniform_cloud(1500, model.dim), 2);
  const Cloud inducing = uniform_cloud(20, model.dim, 8);
  const NeighborTable neighbors = neighbors_before(data, 5);
  with_each_instruction_set([&] {
    const ResidualVecchia one = evaluate(data, inducing, neighbors, model.covariance, true);
    for (const int threads : {2, 4}) {
      const ResidualVecchia several = evaluate(data, inducing, neighbors, model.covariance, true, threads);
      CHECK(several.value == one.value);
      CHECK(several.gradient.parameters == one.gradient.parameters);
      CHECK(several.gradient.positions == one.gradient.positions);
      CHECK(several.weights == one.weights);
    }
  });
}

TEST_CASE("all instruction sets have the same likelihood and gradient but for rounding") {
  const Model model = all_models().front();
  const Data data(uniform_cloud(200, model.dim), 2);
  const Cloud inducing = uniform_cloud(13, model.dim, 8);
  const NeighborTable neighbors = neighbors_before(data, 7);
  const ResidualVecchia expected = evaluate(data, inducing, neighbors, model.covariance, true);
  with_each_instruction_set([&] {
    const ResidualVecchia result = evaluate(data, inducing, neighbors, model.covariance, true);
    CHECK(result.value == doctest::Approx(expected.value).epsilon(1e-12));
    CHECK(difference(parameter_gradient(result.gradient), parameter_gradient(expected.gradient)) < 1e-10);
  });
}

TEST_CASE("the gradient is finite where inducing points lie on rows of a field that has no slope there") {
  const Covariance covariance = model("exponential", {component(Family::exponential, 1.3, {0.4}, {0, 0})}).covariance;
  const Data data(uniform_cloud(20, 2), 2);
  const Cloud inducing{{data.cloud.coords.begin(), data.cloud.coords.begin() + 10}, 2};
  const ResidualVecchia result = evaluate(data, inducing, neighbors_before(data, 4), covariance, true);
  CHECK(parameter_gradient(result.gradient).allFinite());
  CHECK(result.gradient.positions.allFinite());
}

TEST_CASE("singular matrices are reported") {
  Covariance covariance = model("smooth", {component(Family::gaussian, 1.0, {0.5}, {0, 0})}).covariance;
  covariance.nugget = 0.0;
  Data data(uniform_cloud(20, 2), 2);
  for (int d = 0; d < 2; ++d) data.cloud.coords[std::size_t(2 * 7 + d)] = data.cloud.coords[std::size_t(d)];
  const NeighborTable neighbors = neighbors_before(data, 19);
  const ResidualVecchia twice = evaluate(data, uniform_cloud(2, 2, 3), neighbors, covariance);
  CHECK(twice.failed_row >= 0);
  CHECK(std::isinf(twice.value));
  const Cloud coincident{{0.1, 0.2, 0.1, 0.2}, 2};
  CHECK(evaluate(data, coincident, neighbors, covariance, false, 1, 0.0).failure == BoundFailure::prior);
}
