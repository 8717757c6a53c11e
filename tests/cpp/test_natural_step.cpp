#include <doctest/doctest.h>

#include <numeric>

#include "family_cases.h"
#include "inducing_fixtures.h"
#include "latent_reference.h"
#include "linalg/products.h"
#include "variational/family_bound.h"
#include "variational/natural_step.h"

using namespace neargp;
using namespace fixtures;

namespace {

constexpr double jitter = 1e-4;

std::vector<int> rows_from(int first, int last) {
  std::vector<int> rows(std::size_t(last - first));
  std::iota(rows.begin(), rows.end(), first);
  return rows;
}

// Rows between inducing points, with a trend of two columns.
struct Case {
  Latent latent;
  Likelihood likelihood;
  Covariance covariance = latent_covariance(0.8, 0.3);

  explicit Case(ResponseFamily family, int inducing = 12, int rows = 60)
      : latent(inducing, inducing, rows, true, family, 7), likelihood(likelihood_of(family)) {}

  // action(step) with the rows' step under a covariance and with inducing points.
  template <class Action>
  auto with(const std::vector<int>& rows, const Covariance& at, const Cloud& inducing, const Likelihood& family,
            BoundKind kind, const Action& action) const {
    const PreparedCovariance prepared = prepare(at, inducing.dim, true);
    const InducingPoints points(prepared, inducing.view());
    const InducingFactor factor(points, jitter, true);
    const RowBatch batch = take_batch(latent.places.view(), latent.response, rows);
    const RunContext context;
    return action(NaturalStep(factor, batch, family, {RowScore::expected, kind, 1.0}, context));
  }
  template <class Action>
  auto with(const std::vector<int>& rows, BoundKind kind, const Action& action) const {
    return with(rows, covariance, latent.nodes, likelihood, kind, action);
  }
  std::vector<int> all() const { return rows_from(0, int(latent.response.n())); }

  NaturalPosterior moved(const std::vector<int>& rows, const NaturalPosterior& from, double rate) const {
    return with(rows, BoundKind::standard, [&](const NaturalStep& step) { return step.moved(from, rate); });
  }
  BatchGradient gradient(const std::vector<int>& rows, const NaturalPosterior& at,
                         BoundKind kind = BoundKind::tight) const {
    return with(rows, kind, [&](const NaturalStep& step) { return step.gradient(at); });
  }
  Index columns() const { return 2 + latent.nodes.view().n; }
};

// Not the best one.
NaturalPosterior some_posterior(Index columns) {
  Eigen::MatrixXd root(columns, columns);
  Eigen::VectorXd natural(columns);
  for (Index i = 0; i < columns; ++i) {
    natural[i] = std::sin(3.0 * double(i));
    for (Index j = 0; j < columns; ++j) root(i, j) = 0.2 * std::cos(double(5 * i + 7 * j)) + (i == j ? 2.0 : 0.0);
  }
  return {root * root.transpose(), natural};
}

Eigen::MatrixXd lower(const Eigen::MatrixXd& matrix) { return matrix.triangularView<Eigen::Lower>(); }

Eigen::VectorXd mean(const NaturalPosterior& q) {
  return Eigen::MatrixXd(q.precision.selfadjointView<Eigen::Lower>()).ldlt().solve(q.natural);
}

double distance(const NaturalPosterior& a, const NaturalPosterior& b) {
  return std::max(difference(lower(a.precision), lower(b.precision)), difference(a.natural, b.natural));
}

}  // namespace

TEST_CASE("a step of size one on all rows gives the best posterior of a gaussian response, from anywhere") {
  const Case problem(ResponseFamily::gaussian);
  FamilyBoundSettings settings;
  settings.kind = BoundKind::standard;
  settings.jitter = jitter;
  const FamilyPosterior start =
      family_posterior_at(std::vector<double>(60, 0.1), problem.latent.response, problem.likelihood, {});
  const FamilyBound best =
      family_bound(problem.latent.response, problem.latent.places.view(), problem.latent.nodes.view(),
                   problem.covariance, problem.likelihood, start, settings, false, RunContext{});
  const NaturalPosterior q = problem.moved(problem.all(), some_posterior(problem.columns()), 1.0);
  const Index m = problem.columns() - 2;
  CHECK(difference(lower(q.precision.bottomRightCorner(m, m)), lower(best.factor * best.factor.transpose())) < 1e-12);
  const Eigen::VectorXd weights = mean(q);
  CHECK(difference(weights.head(2), best.beta) < 1e-11);
  CHECK(difference(weights.tail(m), best.weights.col(0) - best.weights.rightCols(2) * best.beta) < 1e-11);
}

TEST_CASE("steps of 1, 1/2, 1/3, .. over equal batches give the posterior of all rows") {
  const Case problem(ResponseFamily::gaussian);
  NaturalPosterior q = some_posterior(problem.columns());
  for (int batch = 0; batch < 4; ++batch)
    q = problem.moved(rows_from(15 * batch, 15 * batch + 15), q, 1.0 / (batch + 1));
  CHECK(distance(q, problem.moved(problem.all(), some_posterior(problem.columns()), 1.0)) < 1e-12);
}

TEST_CASE("where steps move nothing the posterior and the bound are those of a family's best") {
  Case problem(ResponseFamily::poisson);
  problem.latent.response.coefficients = 0;
  problem.latent.response.design.clear();
  NaturalPosterior q = some_posterior(problem.latent.nodes.view().n);
  for (int step = 0; step < 60; ++step) q = problem.moved(problem.all(), q, step < 10 ? 0.1 : 0.5);
  FamilyBoundSettings settings;
  settings.kind = BoundKind::standard;
  settings.jitter = jitter;
  settings.tolerance = 1e-12;
  const FamilyPosterior start =
      family_posterior_at(std::vector<double>(60, 0.1), problem.latent.response, problem.likelihood, {});
  const FamilyBound best =
      family_bound(problem.latent.response, problem.latent.places.view(), problem.latent.nodes.view(),
                   problem.covariance, problem.likelihood, start, settings, false, RunContext{});
  CHECK(difference(mean(q), best.weights.col(0)) < 1e-6);
  const BatchGradient gradient = problem.gradient(problem.all(), q, BoundKind::standard);
  CHECK(gradient.score - divergence_from_prior(rooted(q), 0) == doctest::Approx(best.value).epsilon(1e-9));
}

// Expectations without a closed form take their nodes for some rows together.
TEST_CASE("the mean of the batches' gradients is that of all rows") {
  for (const ResponseFamily family : all_families) {
    CAPTURE(int(family));
    const double tolerance = family == ResponseFamily::gaussian || family == ResponseFamily::poisson ? 1e-11 : 1e-7;
    const Case problem(family);
    const NaturalPosterior q = some_posterior(problem.columns());
    const BatchGradient all = problem.gradient(problem.all(), q);
    BatchGradient sum = problem.gradient(rows_from(0, 15), q);
    for (int batch = 1; batch < 4; ++batch) {
      const BatchGradient one = problem.gradient(rows_from(15 * batch, 15 * batch + 15), q);
      sum.score += one.score;
      sum.covariance.add(one.covariance);
      for (std::size_t a = 0; a < one.likelihood.size(); ++a) sum.likelihood[a] += one.likelihood[a];
    }
    CHECK(0.25 * sum.score == doctest::Approx(all.score).epsilon(tolerance));
    CHECK(difference(0.25 * sum.covariance.positions, all.covariance.positions) < tolerance);
    CHECK(difference(0.25 * parameter_gradient(sum.covariance), parameter_gradient(all.covariance)) < tolerance);
    for (std::size_t a = 0; a < all.likelihood.size(); ++a)
      CHECK(0.25 * sum.likelihood[a] == doctest::Approx(all.likelihood[a]).epsilon(tolerance));
  }
}

TEST_CASE("the gradient of a batch is that of differences, for every family") {
  for (const ResponseFamily family : all_families)
    for (const BoundKind kind : {BoundKind::tight, BoundKind::standard}) {
      CAPTURE(int(family));
      const Case problem(family, 6, 30);
      const std::vector<int> rows = rows_from(3, 17);
      const NaturalPosterior q = some_posterior(problem.columns());
      const auto value = [&](const Covariance& covariance, const Cloud& inducing, const Likelihood& likelihood) {
        return problem.with(rows, covariance, inducing, likelihood, kind,
                            [&](const NaturalStep& step) { return step.gradient(q).score; });
      };
      const BatchGradient gradient = problem.gradient(rows, q, kind);
      CHECK(difference(gradient.covariance.positions,
                       position_differences(problem.latent.nodes, 1e-4, [&](const Cloud& at) {
                         return value(problem.covariance, at, problem.likelihood);
                       })) < 1e-6);
      CHECK(difference(parameter_gradient(gradient.covariance),
                       parameter_differences(problem.covariance, 1e-4, [&](const Covariance& at) {
                         return value(at, problem.latent.nodes, problem.likelihood);
                       })) < 1e-6);
      for (std::size_t a = 0; a < gradient.likelihood.size(); ++a)
        CHECK(gradient.likelihood[a] == doctest::Approx(derivative(1e-4, [&](double by) {
                                          Likelihood moved = problem.likelihood;
                                          moved.parameters[a] *= std::exp(by);
                                          return value(problem.covariance, problem.latent.nodes, moved);
                                        })).epsilon(1e-6));
    }
}

TEST_CASE("negative curvatures count as none, so that the precision stays above the prior's") {
  const Case problem(ResponseFamily::student_t);
  const Eigen::VectorXd precision = Eigen::VectorXd::LinSpaced(60, -1.0, 1.0), natural = Eigen::VectorXd::Ones(60);
  const auto posterior = [&](const Eigen::VectorXd& of) {
    return problem.with(problem.all(), BoundKind::standard,
                        [&](const NaturalStep& step) { return step.posterior(of, natural); });
  };
  CHECK(distance(posterior(precision), posterior(precision.cwiseMax(0.0))) == 0.0);
  NaturalPosterior q = posterior(precision);
  for (int step = 0; step < 20; ++step) q = problem.moved(problem.all(), q, 0.5);
  Eigen::MatrixXd above = q.precision.bottomRightCorner(12, 12);
  above.diagonal().array() -= 1.0 - 1e-9;
  CHECK(cholesky(above));
}
