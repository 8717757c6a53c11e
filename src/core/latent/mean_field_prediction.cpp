#include "latent/mean_field_prediction.h"

#include <Eigen/Cholesky>
#include <algorithm>

#include "base/error.h"
#include "latent/latent_solve.h"

namespace neargp {

namespace {

// f + sum_l b_l^2 s_l of all targets.
std::vector<double> projected_variance(const DataWeights& at, const std::vector<double>& variance) {
  std::vector<double> result = at.variance();
  for (Index t = 0; t < at.targets(); ++t)
    for (int m = 0; m < at.k() && at.neighbors()[t][m] >= 0; ++m)
      result[t] += at.weights(t)[m] * at.weights(t)[m] * variance[at.neighbors()[t][m]];
  return result;
}

// f + |R'b|^2 of all targets.
std::vector<double> projected_variance(const DataWeights& at, const Eigen::MatrixXd& root) {
  std::vector<double> result = at.variance();
  for (Index t = 0; t < at.targets(); ++t) {
    Eigen::RowVectorXd sum = Eigen::RowVectorXd::Zero(root.cols());
    for (int m = 0; m < at.k() && at.neighbors()[t][m] >= 0; ++m)
      sum += at.weights(t)[m] * root.row(at.neighbors()[t][m]);
    result[t] += sum.squaredNorm();
  }
  return result;
}

void add_trend(const LatentModel& model, const LatentResponse& response, const std::vector<double>& precision,
               MeanFieldState& state, const RunContext& context) {
  const Index n = response.n(), m = model.nodes();
  const int p = response.coefficients;
  const Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>> X(
      response.design.data(), n, p);
  const Eigen::Map<const Eigen::VectorXd> W(precision.data(), n);
  const Eigen::MatrixXd weighted = W.asDiagonal() * X;
  std::vector<double> h(m);
  for (int c = 0; c < p; ++c) {
    model.sum_at_nodes(weighted.data() + c * n, h.data());
    const LinearSolution solution = solve_latent(model, precision, h, 1e-10, 1000, context);
    state.field_response.insert(state.field_response.end(), solution.x.begin(), solution.x.end());
  }
  const Eigen::Map<const Eigen::MatrixXd> H(state.field_response.data(), m, p);
  Eigen::MatrixXd unseen = X;
  std::vector<double> at_data(n);
  for (int c = 0; c < p; ++c) {
    model.field_at_data(H.data() + c * m, at_data.data());
    unseen.col(c) -= Eigen::Map<const Eigen::VectorXd>(at_data.data(), n);
  }
  const Eigen::MatrixXd covariance =
      trend_information(model, precision, unseen, H).ldlt().solve(Eigen::MatrixXd::Identity(p, p));
  state.trend_covariance.assign(covariance.data(), covariance.data() + covariance.size());
  const Eigen::VectorXd added = (unseen * covariance).cwiseProduct(unseen).rowwise().sum();
  for (Index i = 0; i < n; ++i) state.variance[i] += added[i];
}

}  // namespace

MeanFieldState mean_field_state(const LatentModel& model, const LatentResponse& response, const Likelihood& likelihood,
                                const std::vector<double>& beta, const std::vector<double>& mean,
                                const std::vector<double>& variance, const std::vector<double>& root,
                                const RunContext& context) {
  const Index n = response.n();
  MeanFieldState state;
  state.linear_predictor.resize(n);
  model.field_at_data(mean.data(), state.linear_predictor.data());
  const std::vector<double> trend = response.trend(beta);
  for (Index i = 0; i < n; ++i) state.linear_predictor[i] += trend[i];
  if (!root.empty()) {
    const Index nodes = model.nodes();
    state.variance = projected_variance(
        model.interpolation(), Eigen::Map<const Eigen::MatrixXd>(root.data(), nodes, Index(root.size()) / nodes));
  } else if (model.interpolates()) {
    state.variance = projected_variance(model.interpolation(), variance);
  } else {
    state.variance.resize(n);
    model.field_at_data(variance.data(), state.variance.data());
  }
  state.slope.resize(n);
  state.curvature.resize(n);
  expectations(likelihood, response.observations(), state.linear_predictor.data(), state.variance.data(),
               {nullptr, state.slope.data(), state.curvature.data(), nullptr}, nullptr, context);
  std::vector<double> precision = state.curvature;
  for (double& w : precision) w = std::max(w, 0.0);
  add_trend(model, response, precision, state, context);
  return state;
}

MeanFieldPrediction predict_mean_field(Points nodes, const std::vector<double>& values, int columns, double jitter,
                                       Points locations, const NeighborTable& neighbors, const Covariance& covariance,
                                       const RunContext& context) {
  if (columns < 2 || Index(values.size()) != nodes.n * columns)
    throw Error("There must be a mean and a variance for each node.");
  Covariance with_jitter = covariance;
  with_jitter.nugget = 0.0;
  for (const Component& component : covariance.components) with_jitter.nugget += jitter * component.variance;
  check_coordinates(nodes);
  const std::vector<double> unit_noise(nodes.n, 1.0);
  NodeConditionals at(nodes, unit_noise, locations, false, neighbors, context);
  if (at.update(prepare(with_jitter, nodes.dim, false), context) >= 0)
    throw Error("The covariance matrix of the nodes near a new location is singular: raise the jitter.");

  std::vector<double> variance(nodes.n);
  for (Index j = 0; j < nodes.n; ++j) variance[j] = values[j * columns + 1];
  MeanFieldPrediction result{std::vector<double>(locations.n, 0.0), projected_variance(at.view(), variance),
                             std::vector<double>(locations.n * (columns - 2), 0.0)};
  for (Index t = 0; t < locations.n; ++t)
    for (int m = 0; m < at.k() && at.neighbors()[t][m] >= 0; ++m) {
      const double* row = values.data() + Index(at.neighbors()[t][m]) * columns;
      const double b = at.weights(t)[m];
      result.mean[t] += b * row[0];
      for (int c = 2; c < columns; ++c) result.response[t * (columns - 2) + c - 2] += b * row[c];
    }
  return result;
}

}  // namespace neargp
