// The predictive score against dense matrices, and its gradient against differences.
#include "variational/predictive_score.h"

#include <cmath>

#include "inducing_fixtures.h"
#include "latent_reference.h"
#include "likelihoods/marginal.h"
#include "random/philox.h"

using namespace neargp;
using namespace fixtures;
using Eigen::MatrixXd;

namespace {

MatrixXd random_lower(Index m, int seed, double size) {
  const Philox random(seed);
  MatrixXd lower = MatrixXd::Zero(m, m);
  for (Index j = 0; j < m; ++j) {
    for (Index i = j + 1; i < m; ++i) lower(i, j) = size * random.normal(i * m + j);
    lower(j, j) = std::exp(size * random.normal(100000 + j));
  }
  return lower;
}

struct ScoreCase {
  Latent latent;
  Likelihood likelihood;
  PreparedCovariance covariance;
  InducingPoints points;
  InducingFactor prior;
  MatrixXd origin;
  std::vector<double> mean;
  ScoredRows rows;

  ScoreCase(ResponseFamily family, std::vector<double> parameters, int inducing = 9, int n = 40)
      : latent(inducing, inducing, n, true, family, 7), likelihood{family, std::move(parameters)},
        covariance(prepare(latent_covariance(1.3, 0.4), 2, false)), points(covariance, latent.nodes.view()),
        prior(points, 1e-6, false), origin(random_lower(inducing, 3, 0.5)) {
    for (int i = 0; i < n; ++i) mean.push_back(0.3 * std::sin(double(i)));
    rows = {latent.places.view(), latent.response.observations(), mean.data()};
  }

  PredictiveObjective objective(double kl_weight, Index chunk_rows = 1024) const {
    return PredictiveObjective(rows, prior, origin, kl_weight, with_threads(1), chunk_rows);
  }

  double dense(const MatrixXd& relative, double kl_weight) const {
    const MatrixXd factor = origin * relative;
    const MatrixXd S = (factor * factor.transpose()).inverse();
    const CrossBlock block(prior, rows.coords, false);
    std::vector<double> variance;
    for (Index i = 0; i < rows.coords.n; ++i) {
      const Eigen::VectorXd a = block.features().col(i);
      variance.push_back(block.unexplained()[i] + a.dot(S * a));
    }
    return -0.5 * kl_weight * (S.trace() - std::log(S.determinant())) +
           counted_log_density(likelihood, rows.observations, mean, variance);
  }
};

template <class Action>
void for_some_families(const Action& action) {
  action(ScoreCase(ResponseFamily::gaussian, {0.2}));
  action(ScoreCase(ResponseFamily::student_t, {0.4, 5.0}));
  action(ScoreCase(ResponseFamily::poisson, {}));
  action(ScoreCase(ResponseFamily::binomial_logit, {}));
  action(ScoreCase(ResponseFamily::gamma, {3.0}));
}

}  // namespace

TEST_CASE("the predictive score is the dense one") {
  for_some_families([](const ScoreCase& at) {
    for (const double kl_weight : {0.0, 0.3, 1.0}) {
      const MatrixXd relative = random_lower(9, 5, 0.3);
      CHECK(at.objective(kl_weight).evaluate(relative, at.likelihood, with_threads(1)).value ==
            doctest::Approx(at.dense(relative, kl_weight)).epsilon(1e-10));
    }
  });
}

TEST_CASE("the gradient of the predictive score is that of differences") {
  for_some_families([](const ScoreCase& at) {
    const PredictiveObjective objective = at.objective(0.7);
    const MatrixXd relative = random_lower(9, 5, 0.3);
    const PredictiveScore score = objective.evaluate(relative, at.likelihood, with_threads(1));
    const auto value = [&](const MatrixXd& g, const Likelihood& likelihood) {
      return objective.evaluate(g, likelihood, with_threads(1)).value;
    };
    for (Index j = 0; j < 9; ++j)
      for (Index i = 0; i < 9; ++i) {
        const double expected = i < j ? 0.0 : derivative(1e-4, [&](double by) {
          MatrixXd moved = relative;
          moved(i, j) = i == j ? relative(i, j) * std::exp(by) : relative(i, j) + by;
          return value(moved, at.likelihood);
        });
        CHECK(score.d_factor(i, j) == doctest::Approx(expected).epsilon(1e-7).scale(1.0));
      }
    for (std::size_t p = 0; p < at.likelihood.parameters.size(); ++p)
      CHECK(score.d_likelihood[p] == doctest::Approx(derivative(1e-4,
                                                                [&](double by) {
                                                                  Likelihood moved = at.likelihood;
                                                                  moved.parameters[p] *= std::exp(by);
                                                                  return value(relative, moved);
                                                                }))
                                         .epsilon(1e-7)
                                         .scale(1.0));
  });
}

TEST_CASE("the predictive score depends neither on threads nor, but for rounding, on chunks") {
  const ScoreCase at(ResponseFamily::gaussian, {0.2}, 9, 300);
  const MatrixXd relative = random_lower(9, 5, 0.3);
  const PredictiveObjective whole = at.objective(1.0), parts = at.objective(1.0, 32);
  const PredictiveScore one = parts.evaluate(relative, at.likelihood, with_threads(1));
  const PredictiveScore four = parts.evaluate(relative, at.likelihood, with_threads(4));
  CHECK(one.value == four.value);
  CHECK(one.d_factor == four.d_factor);
  CHECK(whole.evaluate(relative, at.likelihood, with_threads(1)).value == doctest::Approx(one.value).epsilon(1e-12));
}

TEST_CASE("a factor that overflows has the score of minus infinity") {
  const ScoreCase at(ResponseFamily::gaussian, {0.2});
  const MatrixXd tiny = 1e-300 * MatrixXd::Identity(9, 9);
  CHECK(at.objective(1.0).evaluate(tiny, at.likelihood, with_threads(1)).value == -INFINITY);
}
