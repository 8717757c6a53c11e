// The mean-field posterior as a sparse posterior with the factor of a diagonal. Its optimum is that of the mean-field
// ELBO, and its gradient is the gradient of this ELBO.
#include "linalg/sparse/mean_field_factor.h"

#include <cmath>

#include "latent/sparse_posterior.h"
#include "mean_field_fixtures.h"

using namespace neargp;
using namespace fixtures;

namespace {

void check_optimum(bool at_nodes, bool counts, bool exact, double factor_bytes) {
  const RunContext context;
  const Covariance matern{{component(Family::matern, 1.3, {0.3}, {0, 0}, 1.5)}, 0.0, {}};
  const LatentCase latent(40, 55, 7, at_nodes, matern, counts);
  latent.model->set_covariance(matern, context);
  const Likelihood likelihood = counts ? poisson_likelihood() : gaussian_likelihood();
  SparsePosterior posterior(*latent.model, latent.response, PosteriorKind::mean_field, {exact, factor_bytes}, context);
  std::vector<double> eta = latent.response.y;
  for (double& x : eta) x = counts ? std::log(x + 0.1) : x;
  PosteriorSettings settings;
  settings.tolerance = 1e-11;
  settings.max_iterations = 200;
  const PosteriorOutcome outcome =
      posterior.fit(posterior.start(eta, likelihood, context), likelihood, settings, true, context);
  CHECK(outcome.converged);

  MeanFieldPoint point = latent.point(likelihood);
  point.beta = posterior.state().beta;
  const std::vector<double> variance = posterior.factor().node_variance();
  for (int j = 0; j < latent.model->nodes(); ++j) {
    point.moments[2 * j] = posterior.state().mean[j];
    point.moments[2 * j + 1] = variance[j];
  }
  MeanField bound(*latent.model, latent.response, false);
  const MeanFieldGradient& at = bound.evaluate(point, bound.everything(), context);
  CHECK(at.value == doctest::Approx(outcome.value).epsilon(1e-9));
  for (const double slope : at.moments) CHECK(std::abs(slope) < 1e-4);
  for (const double slope : at.beta) CHECK(std::abs(slope) < 1e-4);
  const PosteriorGradient& gradient = outcome.gradient;
  for (std::size_t a = 0; a + 1 < at.covariance.size(); ++a)
    CHECK(gradient.covariance[a] == doctest::Approx(at.covariance[a]).epsilon(1e-6).scale(1.0));
  for (std::size_t a = 0; a < at.likelihood.size(); ++a)
    CHECK(gradient.likelihood[a] == doctest::Approx(at.likelihood[a]).epsilon(1e-6).scale(1.0));
}

}  // namespace

TEST_CASE("natural gradients find the optimum of the mean-field bound, and its gradient") {
  for (const bool at_nodes : {true, false})
    for (const bool counts : {true, false})
      for (const bool exact : {true, false}) {
        CAPTURE(at_nodes);
        CAPTURE(counts);
        CAPTURE(exact);
        check_optimum(at_nodes, counts, exact, INFINITY);
        if (!exact) check_optimum(at_nodes, counts, exact, 0.0);
      }
}
