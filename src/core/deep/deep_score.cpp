#include "deep/deep_score.h"

#include <cmath>
#include <numeric>

#include "base/constants.h"
#include "base/error.h"
#include "likelihoods/marginal.h"

namespace neargp {

namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

std::vector<double> repeated(const std::vector<double>& values, Index times) {
  std::vector<double> result;
  result.reserve(values.size() * std::size_t(times));
  for (Index t = 0; t < times; ++t) result.insert(result.end(), values.begin(), values.end());
  return result;
}

const double* data_or_null(const std::vector<double>& values) { return values.empty() ? nullptr : values.data(); }

Observations observations_of(const DeepResponse& response) {
  return {response.rows(), response.y.data(), data_or_null(response.trials), data_or_null(response.weights)};
}

// The response of one output, once for each component.
DeepResponse repeated(const DeepResponse& response, Index times) {
  DeepResponse result;
  result.y = repeated(response.y, times);
  result.trials = repeated(response.trials, times);
  result.weights = repeated(response.weights, times);
  return result;
}

using RowMajorView = Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>;

RowMajorView design_of(const DeepResponse& response) {
  return {response.design.data(), response.columns > 0 ? response.rows() : 0, response.columns};
}

// Offset and trend of each row, rows x outputs.
MatrixXd known_means(const DeepState& state, const DeepResponse& response) {
  MatrixXd known = MatrixXd::Zero(response.rows(), response.outputs);
  if (!response.offset.empty()) known.col(0) = Eigen::Map<const VectorXd>(response.offset.data(), response.rows());
  if (response.columns > 0) known += design_of(response) * state.trend;
  return known;
}

// Multiple outputs without their trend.
DeepResponse without_trend(const DeepState& state, DeepResponse response) {
  if (response.columns == 0) return response;
  const MatrixXd known = known_means(state, response);
  for (Index i = 0; i < response.rows(); ++i)
    for (int p = 0; p < response.outputs; ++p) response.y[std::size_t(i * response.outputs + p)] -= known(i, p);
  return response;
}

// The means of one output in each component, with offset and trend.
MatrixXd with_trend(const DeepState& state, const DeepResponse& response, const MatrixXd& mean) {
  if (response.columns == 0 && response.offset.empty()) return mean;
  return mean + known_means(state, response).replicate(state.log_weights.size(), 1);
}

MatrixXd as_matrix(const std::vector<double>& values, Index rows, Index columns) {
  return Eigen::Map<const MatrixXd>(values.data(), rows, columns);
}

// log sum_s exp(l_s) of each row, and the components' shares in it.
VectorXd log_sum(const MatrixXd& terms, MatrixXd& share) {
  const VectorXd largest = terms.rowwise().maxCoeff();
  share = (terms.colwise() - largest).array().exp();
  const VectorXd sum = share.rowwise().sum();
  share = sum.cwiseInverse().asDiagonal() * share;
  return largest.array() + sum.array().log();
}

MatrixXd weighted_densities(const DeepState& state, const MatrixXd& densities) {
  return densities.rowwise() + state.log_weights.transpose();
}

// How many equal observations the rows stand for, where a weight multiplies the log density (weights_count()).
struct CountedRows {
  DeepResponse single;  // the rows as one observation each
  VectorXd count;

  CountedRows(const DeepState& state, const DeepResponse& response)
      : single(response), count(VectorXd::Ones(response.rows())) {
    if (state.mixed() || response.weights.empty() || !weights_count(state.likelihood.family)) return;
    count = Eigen::Map<const VectorXd>(response.weights.data(), response.rows());
    single.weights.clear();
  }
};

void check_moments(const DeepState& state, const DeepResponse& response, const ComponentMoments& moments) {
  const Index rows = response.rows() * state.log_weights.size();
  if (response.outputs != state.outputs()) throw Error("The response must have the outputs of the state.");
  if (moments.mean.rows() != rows || moments.mean.cols() != (state.mixed() ? state.mixing.rows() : 1))
    throw Error("The moments of the last layer do not fit the response.");
  if (state.trend.rows() != response.columns || (response.columns > 0 && state.trend.cols() != response.outputs))
    throw Error("The trend of the state must have a row for each column of the design, and a column for each output.");
}

// ---- the scores -----------------------------------------------------------------------------------------------------

MomentDerivatives add_mixture(const DeepState& state, const DeepResponse& response, const ComponentMoments& moments,
                              double scale, ScoreSums& sums) {
  const CountedRows rows(state, response);
  detail::ComponentDensities density = detail::component_densities(state, rows.single, moments);
  MatrixXd share;
  const VectorXd value = rows.count.cwiseProduct(log_sum(weighted_densities(state, density.value), share));
  sums.value += scale * value.sum();
  share = rows.count.asDiagonal() * share;
  const VectorXd weights = state.log_weights.array().exp();
  sums.log_weights += scale * (share.colwise().sum().transpose() - rows.count.sum() * weights);
  share *= scale;
  detail::add_density_parameters(state, rows.single, moments, share, sums);
  const VectorXd of_rows = Eigen::Map<const VectorXd>(share.data(), share.size());
  return {of_rows.asDiagonal() * density.slope.mean, of_rows.asDiagonal() * density.slope.variance};
}

// ---- scores that are means over the components ----------------------------------------------------------------------

// Terms of the rows in one component, and their derivatives in the moments.
struct ComponentTerms {
  VectorXd value, d_mean, d_variance;
  VectorXd d_likelihood;  // of the sum, in the logarithms of the parameters

  ComponentTerms(Index n, Index parameters)
      : value(n), d_mean(n), d_variance(n), d_likelihood(VectorXd::Zero(parameters)) {}
};

ComponentTerms expected_terms(const Likelihood& likelihood, const Observations& data, const double* mean,
                              const double* variance) {
  ComponentTerms terms(data.n, Index(likelihood.parameters.size()));
  expectations(likelihood, data, mean, variance,
               {terms.value.data(), terms.d_mean.data(), terms.d_variance.data(), nullptr}, terms.d_likelihood.data(),
               RunContext{});
  terms.d_variance *= -0.5;
  return terms;
}

// Let v be the noise variance, w = 2 pi v, a = gamma - 1 and q = v + a variance. Then
//   E p^a = w^(-a/2) (v / q)^(1/2) exp(-a/2 e^2 / q),   int p^gamma dy = w^(-a/2) gamma^(-1/2).
ComponentTerms robust_terms(double noise, double gamma, const Observations& data, const double* mean,
                            const double* variance) {
  const double a = gamma - 1.0;
  ComponentTerms terms(data.n, 1);
  for (Index i = 0; i < data.n; ++i) {
    const double v = noise / (data.weights ? data.weights[i] : 1.0), q = v + a * variance[i], e = data.y[i] - mean[i];
    const double t = gamma / a *
                     std::exp(-0.5 * a / gamma * (log_two_pi + std::log(v)) - 0.5 * std::log(q / v) -
                              0.5 * a * e * e / q + 0.5 * a / gamma * std::log(gamma));
    const double d_q = 0.5 * t * (a * e * e / q - 1.0) / q;
    terms.value[i] = t - gamma / a;
    terms.d_mean[i] = a * t * e / q;
    terms.d_variance[i] = a * d_q;
    terms.d_likelihood[0] += v * d_q + 0.5 * t * (1.0 - a / gamma);
  }
  return terms;
}

// The mean of the components' sums, and its derivatives in their weights.
void add_weighted(const DeepState& state, const VectorXd& of_component, double scale, ScoreSums& sums) {
  const VectorXd weights = state.log_weights.array().exp();
  const double value = weights.dot(of_component);
  sums.value += scale * value;
  sums.log_weights.array() += scale * weights.array() * (of_component.array() - value);
}

MomentDerivatives add_mean(const DeepState& state, DeepScore score, double gamma, const DeepResponse& response,
                           const ComponentMoments& moments, double scale, ScoreSums& sums) {
  if (score == DeepScore::robust && state.likelihood.family != ResponseFamily::gaussian)
    throw Error("The robust score is for Gaussian responses.");
  const Index n = response.rows(), components = state.log_weights.size();
  const VectorXd weights = state.log_weights.array().exp();
  const Observations data = observations_of(response);
  VectorXd of_component(components);
  MomentDerivatives slope{MatrixXd(n * components, 1), MatrixXd(n * components, 1)};
  for (Index s = 0; s < components; ++s) {
    const double *mean = moments.mean.data() + s * n, *variance = moments.variance.data() + s * n;
    const ComponentTerms terms = score == DeepScore::robust
                                     ? robust_terms(state.likelihood.parameters[0], gamma, data, mean, variance)
                                     : expected_terms(state.likelihood, data, mean, variance);
    of_component[s] = terms.value.sum();
    slope.mean.col(0).segment(s * n, n) = scale * weights[s] * terms.d_mean;
    slope.variance.col(0).segment(s * n, n) = scale * weights[s] * terms.d_variance;
    sums.likelihood += scale * weights[s] * terms.d_likelihood;
  }
  add_weighted(state, of_component, scale, sums);
  return slope;
}

}  // namespace

ScoreSums::ScoreSums(const DeepState& state)
    : log_weights(VectorXd::Zero(state.log_weights.size())),
      likelihood(VectorXd::Zero(Index(state.likelihood.parameters.size()))),
      output_noise(VectorXd::Zero(state.output_noise.size())),
      mixing(MatrixXd::Zero(state.mixing.rows(), state.mixing.cols())),
      trend(MatrixXd::Zero(state.trend.rows(), state.trend.cols())) {}

void ScoreSums::add(const ScoreSums& other) {
  value += other.value;
  log_weights += other.log_weights;
  likelihood += other.likelihood;
  output_noise += other.output_noise;
  mixing += other.mixing;
  trend += other.trend;
}

DeepResponse take_rows(const DeepResponse& response, const std::vector<int>& rows) {
  DeepResponse taken;
  taken.outputs = response.outputs;
  taken.columns = response.columns;
  const auto take = [](const std::vector<double>& values, int row, int width, std::vector<double>& to) {
    if (values.empty()) return;
    const double* first = values.data() + Index(row) * width;
    to.insert(to.end(), first, first + width);
  };
  for (const int row : rows) {
    take(response.y, row, response.outputs, taken.y);
    take(response.trials, row, 1, taken.trials);
    take(response.weights, row, 1, taken.weights);
    take(response.offset, row, 1, taken.offset);
    take(response.design, row, response.columns, taken.design);
  }
  return taken;
}

DeepResponse rows_of(const DeepResponse& response, Index first, Index count) {
  std::vector<int> rows(static_cast<std::size_t>(count));
  std::iota(rows.begin(), rows.end(), int(first));
  return take_rows(response, rows);
}

MomentDerivatives add_scores(const DeepState& state, DeepScore score, double gamma, const DeepResponse& response,
                             const ComponentMoments& moments, double scale, ScoreSums& sums) {
  check_moments(state, response, moments);
  if (state.mixed()) {
    const DeepResponse seen = without_trend(state, response);
    if (score == DeepScore::robust) throw Error("Several outputs have no robust score.");
    if (score == DeepScore::mixture) return add_mixture(state, seen, moments, scale, sums);
    MatrixXd value;
    MomentDerivatives slope = detail::add_coregionalised_expectations(state, seen, moments, scale, value, sums);
    add_weighted(state, value.colwise().sum().transpose(), scale, sums);
    return slope;
  }
  const MatrixXd mean = with_trend(state, response, moments.mean);
  const ComponentMoments at{mean, moments.variance};
  MomentDerivatives slope = score == DeepScore::mixture ? add_mixture(state, response, at, scale, sums)
                                                        : add_mean(state, score, gamma, response, at, scale, sums);
  if (response.columns > 0)
    sums.trend +=
        design_of(response).transpose() *
        Eigen::Map<const MatrixXd>(slope.mean.data(), response.rows(), state.log_weights.size()).rowwise().sum();
  return slope;
}

VectorXd mixture_log_density(const DeepState& state, const DeepResponse& response, const ComponentMoments& moments) {
  check_moments(state, response, moments);
  MatrixXd share;
  const MatrixXd mean = state.mixed() ? moments.mean : with_trend(state, response, moments.mean);
  const CountedRows rows(state, state.mixed() ? without_trend(state, response) : response);
  const ComponentMoments at{mean, moments.variance};
  return rows.count.cwiseProduct(
      log_sum(weighted_densities(state, detail::component_densities(state, rows.single, at).value), share));
}

namespace detail {

ComponentDensities component_densities(const DeepState& state, const DeepResponse& response,
                                       const ComponentMoments& moments) {
  if (state.mixed()) return coregionalised_densities(state, response, moments);
  const Index n = response.rows(), components = state.log_weights.size();
  const DeepResponse data = repeated(response, components);
  const MarginalDensity density =
      marginal_density(state.likelihood, {observations_of(data), moments.mean.data(), moments.variance.data(), nullptr},
                       false, RunContext{});
  return {as_matrix(density.value, n, components),
          {as_matrix(density.d_mean, n * components, 1), as_matrix(density.d_variance, n * components, 1)}};
}

void add_density_parameters(const DeepState& state, const DeepResponse& response, const ComponentMoments& moments,
                            const MatrixXd& share, ScoreSums& sums) {
  if (state.mixed()) return add_coregionalised_parameters(state, response, moments, share, sums);
  if (state.likelihood.parameters.empty()) return;
  const DeepResponse data = repeated(response, share.cols());
  const MarginalDensity density = marginal_density(
      state.likelihood, {observations_of(data), moments.mean.data(), moments.variance.data(), share.data()}, true,
      RunContext{});
  sums.likelihood += Eigen::Map<const VectorXd>(density.d_log_parameters.data(), sums.likelihood.size());
}

}  // namespace detail

}  // namespace neargp
