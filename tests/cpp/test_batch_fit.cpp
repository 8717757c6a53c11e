// Stochastic fits on inducing points: they rise, keep what is fixed, and are the same for any number of threads.
#include "extended.h"
#include "variational/batch_fit.h"

#include <doctest/doctest.h>

#include "inducing_fixtures.h"
#include "latent_reference.h"
#include "variational/inducing_objective.h"

using namespace neargp;
using namespace fixtures;

namespace {

struct FitCase {
  Latent latent{12, 12, 700, true, ResponseFamily::poisson, 7};
  Likelihood likelihood{ResponseFamily::poisson, {}};
  Covariance covariance = latent_covariance(0.8, 0.3);
  BatchFitSettings settings;
  BatchFitStart start;

  FitCase(PosteriorMoves moves, RowScore score) {
    settings.objective.score = score;
    settings.moves = moves;
    settings.jitter = 1e-4;
    settings.epochs = 8;
    settings.batch_size = 300;
    settings.key = 5;
    const std::size_t parameters = std::size_t(covariance.parameters());
    settings.covariance = {std::vector<WorkingScale>(parameters, WorkingScale::log),
                           std::vector<double>(parameters, -10.0), std::vector<double>(parameters, 10.0),
                           std::vector<char>(parameters, 1)};
    settings.covariance.free[0] = settings.covariance.free.back() = 0;
    settings.position_unit = std::vector<double>(std::size_t(latent.nodes.dim), 0.3);
    start.pseudo_observations = family_posterior_at(std::vector<double>(700, 0.1), latent.response, likelihood, {});
  }

  BatchFit fit(int threads) const {
    return batch_fit(latent.response, latent.places.view(), latent.nodes.view(), covariance, likelihood, start,
                     settings, with_threads(threads));
  }
};

}  // namespace

TEST_CASE("a fit by batches raises its objective, whatever the number of threads, and keeps what is fixed") {
  for (const auto& [moves, score] :
       {std::pair{PosteriorMoves::natural, RowScore::expected}, std::pair{PosteriorMoves::adam, RowScore::expected},
        std::pair{PosteriorMoves::adam, RowScore::predictive}}) {
    const FitCase problem(moves, score);
    const BatchFit one = problem.fit(1);
    CHECK(one.trace.size() == 8);
    CHECK(one.trace.back() > one.trace.front());
    CHECK(one.skipped == 0);
    CHECK(parameter_values(one.covariance)[0] == parameter_values(problem.covariance)[0]);
    CHECK(one.positions != problem.latent.nodes.coords);
    for (const int threads : {2, 4}) {
      const BatchFit other = problem.fit(threads);
      CHECK(other.trace == one.trace);
      CHECK(other.positions == one.positions);
      CHECK(other.posterior.mean == one.posterior.mean);
      CHECK(other.posterior.lower == one.posterior.lower);
      CHECK(parameter_values(other.covariance) == parameter_values(one.covariance));
    }
  }
}

TEST_CASE("a fit that goes on begins where the first has ended, at its last rate") {
  FitCase problem(PosteriorMoves::adam, RowScore::expected);
  const BatchFit first = problem.fit(1);
  problem.start.posterior = first.posterior;
  problem.covariance = first.covariance;
  problem.latent.nodes.coords = first.positions;
  problem.settings.goes_on = true;
  problem.settings.epochs = 1;
  const BatchFit second = problem.fit(1);
  // three steps of 0.01 times 0.01
  CHECK((second.posterior.mean - first.posterior.mean).cwiseAbs().maxCoeff() < 3.1e-4);
  CHECK((second.posterior.lower - first.posterior.lower).cwiseAbs().maxCoeff() < 3.1e-4);
}

// 700 rows in batches of 300: epochs begin within a permutation.
TEST_CASE("a fit that is cut between epochs arrives where one that is not does") {
  for (const PosteriorMoves moves : {PosteriorMoves::natural, PosteriorMoves::adam}) {
    FitCase problem(moves, RowScore::expected);
    const BatchFit whole = problem.fit(1);
    for (const int until : {3, 4, 8}) {
      problem.settings.until = until;
      problem.start.before = problem.fit(1);
      CHECK(problem.start.before->memory.epochs == until);
    }
    const BatchFit& pieces = *problem.start.before;
    CHECK(pieces.trace == whole.trace);
    CHECK(pieces.positions == whole.positions);
    CHECK(pieces.posterior.mean == whole.posterior.mean);
    CHECK(pieces.posterior.lower == whole.posterior.lower);
    CHECK(parameter_values(pieces.covariance) == parameter_values(whole.covariance));
  }
}

TEST_CASE("Adam comes to the posterior that natural gradients find, where only that moves" * extended) {
  FitCase adam(PosteriorMoves::adam, RowScore::expected);
  adam.latent.response.coefficients = 0;
  adam.latent.response.design.clear();
  adam.settings.covariance.free.assign(adam.settings.covariance.free.size(), 0);
  adam.settings.position_unit.clear();
  adam.settings.batch_size = 700;
  adam.settings.epochs = 6000;
  adam.settings.learning_rate = 0.03;
  FitCase natural = adam;
  natural.settings.moves = PosteriorMoves::natural;
  natural.settings.epochs = 60;
  natural.settings.natural_rate = 0.5;
  const BatchFit a = adam.fit(2), b = natural.fit(2);
  CHECK(a.trace.back() == doctest::Approx(b.trace.back()).epsilon(1e-6));
  CHECK((a.posterior.mean - b.posterior.mean).cwiseAbs().maxCoeff() < 0.01);
}
