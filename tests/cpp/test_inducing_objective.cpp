// The objective of a given posterior on inducing points against dense matrices, its gradient against differences, and
// what maximises it.
#include "variational/inducing_objective.h"

#include <doctest/doctest.h>

#include <cmath>

#include "family_cases.h"
#include "inducing_fixtures.h"
#include "latent_reference.h"
#include "likelihoods/marginal.h"
#include "variational/family_bound.h"

using namespace neargp;
using namespace fixtures;
using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

constexpr double jitter = 1e-4;

RootedPosterior some_root(Index m) {
  RootedPosterior q{VectorXd(m), MatrixXd::Zero(m, m), false};
  for (Index j = 0; j < m; ++j) {
    q.mean[j] = 0.5 * std::sin(3.0 * double(j));
    for (Index i = j; i < m; ++i) q.lower(i, j) = 0.2 * std::cos(double(5 * i + 7 * j)) + (i == j ? 0.6 : 0.0);
  }
  q.lower(2, 2) *= -1.0;  // signs of the diagonal are free
  return q;
}

struct ObjectiveCase {
  Latent latent;
  Likelihood likelihood;
  BatchObjective objective;
  Covariance covariance = latent_covariance(0.8, 0.3);

  ObjectiveCase(ResponseFamily family, const BatchObjective& objective, int inducing = 6, int rows = 25)
      : latent(inducing, inducing, rows, true, family, 7), likelihood(likelihood_of(family)), objective(objective) {
    latent.response.coefficients = 0;
    latent.response.design.clear();
  }

  InducingObjective at(const RootedPosterior& q, const Covariance& covariance, const Cloud& inducing,
                       const Likelihood& family, bool derivatives, int threads = 1) const {
    return inducing_objective(latent.response, latent.places.view(), inducing.view(), covariance, family, q, objective,
                              jitter, derivatives, with_threads(threads));
  }
  InducingObjective at(const RootedPosterior& q, bool derivatives = true, int threads = 1) const {
    return at(q, covariance, latent.nodes, likelihood, derivatives, threads);
  }
  double value(const RootedPosterior& q) const { return at(q, false).value; }

  // Computes the objective by the formulas in the header of batch_rows.h, with S itself.
  double dense(const RootedPosterior& q) const {
    const Index n = latent.places.view().n, m = q.mean.size();
    const PreparedCovariance prepared = prepare(covariance, 2, false);
    const InducingPoints points(prepared, latent.nodes.view());
    const InducingFactor factor(points, jitter, false);
    const CrossBlock block(factor, latent.places.view(), false);
    const MatrixXd S = q.lower * q.lower.transpose();
    const double c = objective.kl_weight;
    const bool tight = likelihood.family == ResponseFamily::gaussian && objective.kind == BoundKind::tight &&
                       objective.score == RowScore::expected;
    double value = -0.5 * c * (S.trace() + q.mean.squaredNorm() - double(m) - std::log(S.determinant()));
    std::vector<double> mean(n), variance(n);
    for (Index i = 0; i < n; ++i) {
      const VectorXd a = block.features().col(i);
      const double d = block.unexplained()[i];
      mean[i] = latent.response.offset[i] + a.dot(q.mean);
      variance[i] = a.dot(S * a) + (tight ? 0.0 : d);
      if (tight) value -= 0.5 * c * std::log1p(d * latent.response.weights[i] / likelihood.parameters[0] / c);
    }
    if (objective.score == RowScore::expected)
      return value +
             expectations(likelihood, latent.response.observations(), mean.data(), variance.data(), {}, nullptr, {});
    return value + counted_log_density(likelihood, latent.response.observations(), mean, variance);
  }
};

template <class Action>
void for_objectives(const Action& action) {
  for (const ResponseFamily family : all_families)
    for (const BatchObjective& objective : {BatchObjective{RowScore::expected, BoundKind::tight, 0.4},
                                            BatchObjective{RowScore::expected, BoundKind::standard, 1.0},
                                            BatchObjective{RowScore::predictive, BoundKind::tight, 0.7}}) {
      CAPTURE(int(family));
      CAPTURE(int(objective.score));
      action(ObjectiveCase(family, objective));
    }
}

}  // namespace

TEST_CASE("the objective at a given posterior is the dense one") {
  for_objectives([](const ObjectiveCase& problem) {
    const RootedPosterior q = some_root(6);
    CHECK(problem.value(q) == doctest::Approx(problem.dense(q)).epsilon(1e-10));
  });
}

TEST_CASE("the gradient of the objective at a given posterior is that of differences, in all that it depends on") {
  for_objectives([](const ObjectiveCase& problem) {
    const RootedPosterior q = some_root(6);
    const InducingObjective at = problem.at(q);
    CHECK(difference(at.gradient.covariance.positions,
                     position_differences(problem.latent.nodes, 1e-4, [&](const Cloud& moved) {
                       return problem.at(q, problem.covariance, moved, problem.likelihood, false).value;
                     })) < 1e-6);
    CHECK(difference(parameter_gradient(at.gradient.covariance),
                     parameter_differences(problem.covariance, 1e-4, [&](const Covariance& moved) {
                       return problem.at(q, moved, problem.latent.nodes, problem.likelihood, false).value;
                     })) < 1e-6);
    for (std::size_t a = 0; a < at.gradient.likelihood.size(); ++a)
      CHECK(at.gradient.likelihood[a] ==
            doctest::Approx(derivative(1e-4, [&](double by) {
              Likelihood moved = problem.likelihood;
              moved.parameters[a] *= std::exp(by);
              return problem.at(q, problem.covariance, problem.latent.nodes, moved, false).value;
            })).epsilon(1e-6));
    VectorXd mean(6);
    MatrixXd root = MatrixXd::Zero(6, 6);
    for (Index j = 0; j < 6; ++j) {
      mean[j] = derivative(1e-4, [&](double by) {
        RootedPosterior moved = q;
        moved.mean[j] += by;
        return problem.value(moved);
      });
      for (Index i = j; i < 6; ++i)
        root(i, j) = derivative(1e-4, [&](double by) {
          RootedPosterior moved = q;
          moved.lower(i, j) += by;
          return problem.value(moved);
        });
    }
    CHECK(difference(at.gradient.mean, mean) < 1e-6);
    CHECK(difference(at.gradient.root, root) < 1e-6);
  });
}

TEST_CASE(
    "the collapsed bound's posterior maximises the objective, and a weighted divergence has that of noise times the "
    "weight") {
  for (const double kl_weight : {1.0, 0.3, 2.5})
    for (const BoundKind kind : {BoundKind::tight, BoundKind::standard}) {
      const ObjectiveCase problem(ResponseFamily::gaussian, {RowScore::expected, kind, kl_weight}, 8, 40);
      FamilyBoundSettings settings;
      settings.kind = BoundKind::standard;
      settings.jitter = jitter;
      const Likelihood tempered{ResponseFamily::gaussian, {kl_weight * problem.likelihood.parameters[0]}};
      const FamilyPosterior start =
          family_posterior_at(std::vector<double>(40, 0.1), problem.latent.response, tempered, {});
      const FamilyBound best =
          family_bound(problem.latent.response, problem.latent.places.view(), problem.latent.nodes.view(),
                       problem.covariance, tempered, start, settings, false, {});
      const RootedPosterior q = with_covariance_root({best.weights.col(0), best.factor, true});
      const InducingObjective at = problem.at(q);
      CHECK(at.gradient.mean.cwiseAbs().maxCoeff() < 1e-9);
      CHECK(at.gradient.root.cwiseAbs().maxCoeff() < 1e-9);
    }
}

TEST_CASE("a family's bound of a weighted divergence is the objective at its posterior, and so is its gradient") {
  for (const ResponseFamily family : all_families)
    for (const double kl_weight : {0.5, 2.0}) {
      CAPTURE(int(family));
      const ObjectiveCase problem(family, {RowScore::expected, BoundKind::standard, kl_weight}, 6, 40);
      FamilyBoundSettings settings;
      settings.kind = BoundKind::standard;
      settings.jitter = jitter;
      settings.kl_weight = kl_weight;
      settings.tolerance = 1e-11;
      const FamilyPosterior start =
          family_posterior_at(std::vector<double>(40, 0.1), problem.latent.response, problem.likelihood, {});
      const FamilyBound best =
          family_bound(problem.latent.response, problem.latent.places.view(), problem.latent.nodes.view(),
                       problem.covariance, problem.likelihood, start, settings, true, {});
      const InducingObjective at = problem.at(with_covariance_root({best.weights.col(0), best.factor, true}));
      CHECK(best.value == doctest::Approx(at.value).epsilon(1e-9));
      CHECK(best.divergence == doctest::Approx(at.divergence).epsilon(1e-9));
      CHECK(difference(best.gradient.positions, at.gradient.covariance.positions) < 1e-4);
      CHECK(difference(parameter_gradient(best.gradient), parameter_gradient(at.gradient.covariance)) < 1e-4);
      for (std::size_t a = 0; a < best.d_likelihood.size(); ++a)
        CHECK(best.d_likelihood[a] == doctest::Approx(at.gradient.likelihood[a]).epsilon(1e-9));
    }
}

TEST_CASE("natural gradients rest where the gradient of the weighted objective vanishes") {
  for (const double kl_weight : {0.5, 2.0}) {
    const ObjectiveCase problem(ResponseFamily::poisson, {RowScore::expected, BoundKind::standard, kl_weight}, 6, 40);
    std::vector<int> rows(40);
    for (int i = 0; i < 40; ++i) rows[i] = i;
    const PreparedCovariance prepared = prepare(problem.covariance, 2, true);
    const InducingPoints points(prepared, problem.latent.nodes.view());
    const InducingFactor factor(points, jitter, true);
    const RowBatch batch = take_batch(problem.latent.places.view(), problem.latent.response, rows);
    const RunContext context;
    const NaturalStep step(factor, batch, problem.likelihood, problem.objective, context);
    NaturalPosterior q = step.posterior(VectorXd::Ones(40), VectorXd::Zero(40));
    for (int i = 0; i < 80; ++i) q = step.moved(q, 0.4);
    const InducingObjective at = problem.at(with_covariance_root(rooted(q)));
    CHECK(at.gradient.mean.cwiseAbs().maxCoeff() < 1e-8);
    CHECK(at.gradient.root.cwiseAbs().maxCoeff() < 1e-8);
  }
}

TEST_CASE("the objective does not depend on the number of threads") {
  for (const RowScore score : {RowScore::expected, RowScore::predictive}) {
    const ObjectiveCase problem(ResponseFamily::poisson, {score, BoundKind::tight, 1.0}, 12, 900);
    const RootedPosterior q = some_root(12);
    const InducingObjective one = problem.at(q);
    for (const int threads : {2, 4}) {
      const InducingObjective other = problem.at(q, true, threads);
      CHECK(other.value == one.value);
      CHECK(other.gradient.mean == one.gradient.mean);
      CHECK(other.gradient.root == one.gradient.root);
      CHECK(other.gradient.covariance.positions == one.gradient.covariance.positions);
      CHECK(other.gradient.covariance.parameters == one.gradient.covariance.parameters);
    }
  }
}

TEST_CASE("the divergence is one distribution's, whatever its root, and that of the field without the trend") {
  RootedPosterior q = some_root(7);
  const RootedPosterior back =
      with_covariance_root(rooted({(q.lower * q.lower.transpose()).inverse(), VectorXd::Zero(7)}));
  RootedPosterior centred = q;
  centred.mean.setZero();
  for (const Index trend : {0, 2}) {
    const double expected = divergence_from_prior(centred, trend);
    CHECK(divergence_from_prior(back, trend) == doctest::Approx(expected).epsilon(1e-10));
    const MatrixXd S = (q.lower * q.lower.transpose()).bottomRightCorner(7 - trend, 7 - trend);
    CHECK(expected ==
          doctest::Approx(0.5 * (S.trace() - double(7 - trend) - std::log(S.determinant()))).epsilon(1e-10));
  }
}
