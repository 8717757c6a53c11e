#include <doctest/doctest.h>

#include <cmath>

#include "latent/bound_share.h"
#include "latent_reference.h"

using namespace neargp;
using namespace fixtures;

namespace {

const RunContext context;
constexpr PosteriorSettings tight{1e-12, 300};

Eigen::Map<const Eigen::VectorXd> vector(const std::vector<double>& x) { return {x.data(), Index(x.size())}; }

LatentResponse with_trend_in_offset(LatentResponse response, const std::vector<double>& beta) {
  response.offset = response.trend(beta);
  response.design.clear();
  response.coefficients = 0;
  return response;
}

// The posterior at a fixed trend, and the shares of three sets of nodes added up.
struct Shared {
  LatentModel model;
  LatentResponse response;
  SparsePosterior posterior;
  PosteriorOutcome outcome;
  BoundShare sum;

  Shared(const Latent& latent, const Covariance& covariance, const Likelihood& likelihood,
         const std::vector<double>& beta)
      : model(latent.data, context), response(with_trend_in_offset(latent.response, beta)),
        posterior(model, response, PosteriorKind::sparse, {false, INFINITY, false}, context) {
    model.set_covariance(covariance, context);
    outcome = posterior.fit(posterior.start(std::vector<double>(response.n(), 0.1), likelihood, context), likelihood,
                            tight, true, context);
    const Eigen::MatrixXd answers = field_response_to(posterior, model, latent.response, context);
    for (int set = 0; set < 3; ++set) {
      std::vector<int> numbers;
      for (int node = 0; node < model.nodes(); ++node)
        if (node % 3 == set) numbers.push_back(node);
      const BoundShare share = bound_share(posterior, model, latent.response, own_nodes(model, numbers),
                                           posterior.state().mean, answers, true, context);
      if (set == 0) {
        sum = share;
        continue;
      }
      sum.value += share.value;
      sum.score += share.score;
      sum.information += share.information;
      for (std::size_t a = 0; a < sum.covariance.size(); ++a) sum.covariance[a] += share.covariance[a];
      for (std::size_t a = 0; a < sum.likelihood.size(); ++a) sum.likelihood[a] += share.likelihood[a];
    }
  }
};

}  // namespace

TEST_CASE("shares of disjoint sets of nodes add up to the bound, its gradient, and those of the trend") {
  const Covariance covariance = latent_covariance(0.8, 0.2);
  for (const ResponseFamily family :
       {ResponseFamily::gaussian, ResponseFamily::poisson, ResponseFamily::negative_binomial}) {
    CAPTURE(int(family));
    const Latent latent(50, 8, 90, false, family, 3);
    const Likelihood likelihood{family,
                                family == ResponseFamily::poisson ? std::vector<double>{} : std::vector<double>{0.7}};
    LatentModel model(latent.data, context);
    model.set_covariance(covariance, context);
    SparsePosterior whole(model, latent.response, PosteriorKind::sparse, {}, context);
    const PosteriorOutcome fitted =
        whole.fit(whole.start(std::vector<double>(latent.response.n(), 0.1), likelihood, context), likelihood, tight,
                  true, context);
    const Shared shared(latent, covariance, likelihood, whole.state().beta);
    CHECK(shared.sum.value == doctest::Approx(fitted.value).epsilon(1e-9));
    CHECK((vector(shared.sum.covariance) - vector(fitted.gradient.covariance)).cwiseAbs().maxCoeff() < 1e-5);
    CHECK((vector(shared.sum.likelihood) - vector(fitted.gradient.likelihood)).norm() < 1e-5);
    CHECK(shared.sum.score.cwiseAbs().maxCoeff() < 1e-4);
    const Eigen::MatrixXd product =
        shared.sum.information * Eigen::Map<const Eigen::MatrixXd>(whole.trend(context).covariance.data(),
                                                                   shared.sum.information.rows(),
                                                                   shared.sum.information.cols());
    CHECK((product - Eigen::MatrixXd::Identity(product.rows(), product.cols())).cwiseAbs().maxCoeff() < 1e-5);
    // away from there the score is the slope of the value
    std::vector<double> beta = whole.state().beta;
    beta[1] += 0.3;
    const Shared here(latent, covariance, likelihood, beta);
    for (const int c : {0, 1}) {
      std::vector<double> up = beta, down = beta;
      up[c] += 1e-4;
      down[c] -= 1e-4;
      const double slope = (Shared(latent, covariance, likelihood, up).sum.value -
                            Shared(latent, covariance, likelihood, down).sum.value) /
                           2e-4;
      CHECK(here.sum.score[c] == doctest::Approx(slope).epsilon(1e-4));
    }
  }
}

TEST_CASE("pivots are the variances of nodes given those before them and the data") {
  const Latent latent(30, 29, 50, false, ResponseFamily::gaussian, 6);
  const Covariance covariance = latent_covariance(0.8, 0.3);
  const Shared shared(latent, covariance, {ResponseFamily::gaussian, {0.3}},
                      std::vector<double>(latent.response.coefficients, 0.0));
  const reference::DenseLatent dense = reference::dense_latent(latent.data, covariance);
  Eigen::MatrixXd precision = dense.precision;
  for (int i = 0; i < 50; ++i)
    precision += latent.response.weights[i] / 0.3 * dense.see.row(i).transpose() * dense.see.row(i);
  const std::vector<double> found = shared.model.to_caller(shared.posterior.factor().factor().log_pivots());
  const Eigen::MatrixXd variance = precision.inverse();
  const std::vector<int>& order = latent.data.order;
  for (int rank = 0; rank < 30; ++rank) {
    Eigen::MatrixXd block(rank + 1, rank + 1);
    for (int a = 0; a <= rank; ++a)
      for (int b = 0; b <= rank; ++b) block(a, b) = variance(order[a], order[b]);
    CHECK(found[order[rank]] == doctest::Approx(std::log(block.inverse()(rank, rank))).epsilon(1e-6));
  }
  double sum = 0.0;
  for (const double pivot : found) sum += pivot;
  CHECK(sum == doctest::Approx(shared.posterior.factor().log_det()).epsilon(1e-12));
}

TEST_CASE("shares are refused where they do not exist") {
  const Latent latent(20, 5, 30, true, ResponseFamily::gaussian, 1);
  const Covariance covariance = latent_covariance(0.8, 0.3);
  CHECK_THROWS(Shared(latent, covariance, {ResponseFamily::gaussian, {0.3}},
                      std::vector<double>(latent.response.coefficients, 0.0)));
  const Latent at_nodes(20, 5, 30, false, ResponseFamily::gaussian, 1);
  LatentModel model(at_nodes.data, context);
  SparsePosterior exact(model, at_nodes.response, PosteriorKind::sparse, {true}, context);
  CHECK_THROWS(exact.factor().factor().log_pivots());
}
