#include <doctest/doctest.h>

#include <cmath>

#include "latent/sparse_posterior.h"
#include "latent_reference.h"

using namespace neargp;
using namespace fixtures;

namespace {

const RunContext context;
constexpr PosteriorSettings tight{1e-12, 300};

// Rows of the data at their nodes: those from `second` on are of the second response.
LatentData with_fields(const LatentData& data, std::vector<int> structure_of_field, Index second) {
  LatentData fields = data;
  const Index n = Index(data.node_of_datum.size());
  fields.fields.structure_of_field = std::move(structure_of_field);
  fields.fields.places = NeighborTable(n, 1);
  fields.fields.shares.assign(std::size_t(n), 1.0);
  for (Index i = 0; i < n; ++i) {
    fields.fields.places[i][0] = data.node_of_datum[i];
    fields.fields.response.push_back(i < second ? 0 : 1);
  }
  fields.responses = second < n ? 2 : 1;
  fields.node_of_datum.clear();
  return fields;
}

PosteriorOutcome outcome_of(SparsePosterior& posterior, Index n, const Likelihoods& likelihoods) {
  return posterior.fit(posterior.start(std::vector<double>(std::size_t(n), 0.1), likelihoods, context), likelihoods,
                       tight, true, context);
}

}  // namespace

TEST_CASE("one field of variance 1 with a loading is the field of the loading's square as variance") {
  for (const ResponseFamily family : {ResponseFamily::poisson, ResponseFamily::binomial_logit}) {
    const Latent latent(40, 39, 60, false, family, 3);
    const Likelihood likelihood{family, {}};
    LatentModel plain(latent.data, context);
    plain.set_covariance(latent_covariance(0.64, 0.2), context);
    SparsePosterior expected(plain, latent.response, PosteriorKind::sparse, {true, INFINITY}, context);
    const LatentData data = with_fields(latent.data, {0}, 60);
    LatentModel model(data, context);
    model.set_fields({latent_covariance(1.0, 0.2)}, Eigen::MatrixXd::Constant(1, 1, 0.8), context);
    SparsePosterior posterior(model, latent.response, PosteriorKind::sparse, {true, INFINITY}, context);
    const PosteriorOutcome by_loading = outcome_of(posterior, 60, likelihood);
    const PosteriorOutcome by_variance = outcome_of(expected, 60, likelihood);
    CHECK(by_loading.value == doctest::Approx(by_variance.value).epsilon(1e-10));
    // d / d loading = d / d log variance * 2 / loading; the gradient ends with the loading
    CHECK(by_loading.gradient.covariance.back() ==
          doctest::Approx(by_variance.gradient.covariance[0] * 2.0 / 0.8).epsilon(1e-6));
    CHECK(by_loading.gradient.covariance[1] == doctest::Approx(by_variance.gradient.covariance[1]).epsilon(1e-6));
  }
}

TEST_CASE("two responses that share fields: gradients in loadings, ranges and parameters are those of the value") {
  const Latent latent(50, 8, 80, false, ResponseFamily::poisson, 7);
  const LatentData data = with_fields(latent.data, {0, 1}, 45);
  for (const bool exact : {true, false}) {
    CAPTURE(exact);
    LatentModel model(data, context);
    SparsePosterior posterior(model, latent.response, PosteriorKind::sparse, {exact, INFINITY}, context);
    const auto fit = [&](const Eigen::MatrixXd& loadings, double log_range, double log_size) {
      model.set_fields({latent_covariance(1.0, std::exp(log_range)), latent_covariance(1.0, 0.1)}, loadings, context);
      return outcome_of(
          posterior, 80,
          {{{ResponseFamily::poisson, {}}, {ResponseFamily::negative_binomial, {std::exp(log_size)}}}, {45, 80}});
    };
    const double h = 1e-4, range = std::log(0.3), size = std::log(2.0);
    Eigen::MatrixXd A(2, 2);
    A << 0.7, 0.2, -0.4, 0.5;
    const PosteriorGradient gradient = fit(A, range, size).gradient;
    const std::size_t before_loadings = gradient.covariance.size() - 4;
    for (Index e = 0; e < 4; ++e) {
      Eigen::MatrixXd up = A, down = A;
      up.data()[e] += h;
      down.data()[e] -= h;
      const double slope = (fit(up, range, size).value - fit(down, range, size).value) / (2.0 * h);
      CHECK(gradient.covariance[before_loadings + std::size_t(e)] == doctest::Approx(slope).epsilon(1e-4));
    }
    const double in_range = (fit(A, range + h, size).value - fit(A, range - h, size).value) / (2.0 * h);
    CHECK(gradient.covariance[1] == doctest::Approx(in_range).epsilon(1e-4));
    const double in_size = (fit(A, range, size + h).value - fit(A, range, size - h).value) / (2.0 * h);
    CHECK(gradient.likelihood[0] == doctest::Approx(in_size).epsilon(1e-4));
  }
}

// The data determine the sum of trend and field to 1e-4, and the intercept by the field's prior alone.
TEST_CASE("an intercept that a smooth field hides is that of dense algebra") {
  const Latent latent(60, 12, 60, false, ResponseFamily::gaussian, 5);
  const double variance = 1e-8;
  const reference::DensePosterior dense = reference::dense_posterior(
      reference::dense_latent(latent.data, latent_covariance(1.0, 2.0)), latent.response, true, variance);
  const LatentData data = with_fields(latent.data, {0}, 60);
  LatentModel model(data, context);
  model.set_fields({latent_covariance(1.0, 2.0)}, Eigen::MatrixXd::Constant(1, 1, 1.0), context);
  SparsePosterior posterior(model, latent.response, PosteriorKind::sparse, {false, INFINITY}, context);
  const Likelihood likelihood{ResponseFamily::gaussian, {variance}};
  posterior.fit(posterior.start(std::vector<double>(60, 0.1), likelihood, context), likelihood, {1e-6, 300}, false,
                context);
  const double sd = std::sqrt(dense.trend_covariance(0, 0));
  CHECK(posterior.state().beta[0] == doctest::Approx(dense.beta[0]).epsilon(0.01 * sd / std::abs(dense.beta[0])));
  CHECK(std::sqrt(posterior.trend(context).covariance[0]) == doctest::Approx(sd).epsilon(1e-4));
}
