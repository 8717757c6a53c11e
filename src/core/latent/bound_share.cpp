#include "latent/bound_share.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "latent/evidence_bound.h"
#include "latent/node_design.h"

namespace neargp {

namespace {

// a_j'x for the columns of x, which contain a number for each node.
Eigen::RowVectorXd of_node(const LatentModel& model, Index node, const Eigen::Ref<const Eigen::MatrixXd>& x) {
  const int width = model.prior().k() + 1;
  const int* member = model.prior_members().data() + node * width;
  const double* a = model.prior_vectors().data() + node * width;
  Eigen::RowVectorXd product = Eigen::RowVectorXd::Zero(x.cols());
  for (int m = 0; m < width && member[m] >= 0; ++m) product += a[m] * x.row(member[m]);
  return product;
}

// Adds the data terms to the value of the share and to its gradient in the likelihood's parameters. Returns the slopes.
std::vector<double> add_data_terms(const SparsePosterior& posterior, const LatentResponse& response,
                                   const OwnNodes& own, BoundShare& share, const RunContext& context) {
  const std::size_t n = own.data.size();
  LatentResponse part;
  std::vector<double> mean(n), variance(n), slope(n);
  for (std::size_t t = 0; t < n; ++t) {
    const Index i = own.data[t];
    part.y.push_back(response.y[i]);
    part.weights.push_back(response.weights[i]);
    if (!response.trials.empty()) part.trials.push_back(response.trials[i]);
    mean[t] = posterior.state().linear_predictor[i];
    variance[t] = posterior.variance_at_data()[i];
    share.value += 0.5 * posterior.state().precision[i] * variance[t];
  }
  share.likelihood.assign(posterior.likelihood().parameters(), 0.0);
  share.value +=
      posterior.likelihood().expectations(part.observations(), mean.data(), variance.data(),
                                          {nullptr, slope.data(), nullptr, nullptr}, share.likelihood.data(), context);
  return slope;
}

std::vector<double> covariance_gradient(const SparsePosterior& posterior, const LatentModel& model, const OwnNodes& own,
                                        const std::vector<double>& mean, const RunContext& context) {
  std::vector<double> products(model.prior_vectors().size());
  posterior.factor().multiply_cliques(0, model.prior_vectors().data(), products.data(), context);
  return model.gradient(prior_adjoints(model, mean, products, &own.is_own), context);
}

}  // namespace

OwnNodes own_nodes(const LatentModel& model, const std::vector<int>& numbers) {
  OwnNodes own{std::vector<char>(model.nodes(), 0), {}};
  for (const int number : numbers) own.is_own[model.node_number()[number]] = 1;
  for (std::size_t i = 0; i < model.node_of_datum().size(); ++i)
    if (own.is_own[model.node_of_datum()[i]]) own.data.push_back(Index(i));
  return own;
}

Eigen::MatrixXd field_response_to(const SparsePosterior& posterior, const LatentModel& model,
                                  const LatentResponse& response, const RunContext& context) {
  const std::vector<double>& precision = posterior.state().precision;
  std::vector<double> average = node_design(model, response);
  if (is_next_to_nothing(model, precision)) std::fill(average.begin(), average.end(), 0.0);
  return TrendSystem(model, response, average, 0, posterior.factor(), precision, PosteriorFactor::precise, context)
      .field_response();
}

BoundShare bound_share(const SparsePosterior& posterior, const LatentModel& model, const LatentResponse& response,
                       const OwnNodes& own, const std::vector<double>& mean, const Eigen::MatrixXd& field_response,
                       bool derivatives, const RunContext& context) {
  if (model.interpolates() || model.low_rank())
    throw Error("Shares are of nodes at the data, without a low-rank part.");
  const Index m = model.nodes();
  const int p = response.coefficients;
  if (Index(mean.size()) != m || field_response.rows() != m || field_response.cols() != p)
    throw Error("Means and the field's response to the trend do not belong to these nodes.");
  BoundShare share;
  share.score = Eigen::VectorXd::Zero(p);
  share.information = Eigen::MatrixXd::Zero(p, p);
  const std::vector<double> slope = add_data_terms(posterior, response, own, share, context);
  for (std::size_t t = 0; t < own.data.size(); ++t) {
    const Index i = own.data[t];
    const int node = model.node_of_datum()[i];
    const Eigen::Map<const Eigen::RowVectorXd> x(response.design.data() + i * p, p);
    const Eigen::RowVectorXd unseen = x - field_response.row(node);
    share.score += slope[t] * unseen.transpose();
    share.information += posterior.state().precision[i] * unseen.transpose() * unseen;
  }
  const std::vector<double> log_pivots = posterior.factor().factor().log_pivots();
  const Eigen::Map<const Eigen::VectorXd> means(mean.data(), m);
  for (Index j = 0; j < m; ++j) {
    if (!own.is_own[j]) continue;
    const double inverse_f = model.prior_scale()[j], of_mean = of_node(model, j, means)[0];
    const Eigen::RowVectorXd of_response = of_node(model, j, field_response);
    share.value -= 0.5 * (of_mean * of_mean * inverse_f - std::log(inverse_f) + log_pivots[j]);
    share.score += of_mean * inverse_f * of_response.transpose();
    share.information += inverse_f * of_response.transpose() * of_response;
  }
  if (derivatives) {
    share.covariance = covariance_gradient(posterior, model, own, mean, context);
  } else {
    share.likelihood.clear();
  }
  return share;
}

}  // namespace neargp
