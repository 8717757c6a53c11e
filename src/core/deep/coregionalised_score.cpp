#include "deep/deep_score.h"

#include <Eigen/Cholesky>
#include <cmath>

#include "base/constants.h"

namespace neargp {
namespace detail {

namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

// The log density of one row's observed outputs, without their trend, given one component. Let e = y - A'mu,
// C = A'diag(v)A + diag(noise) / weight and alpha = C^-1 e. Then
//   log p = -1/2 (log|2 pi C| + e'C^-1 e).
// Its derivatives are alpha in the mean A'mu and 1/2 (alpha alpha' - C^-1) in C.
class RowDensity {
 public:
  RowDensity(const DeepState& state, const double* y, double weight, const VectorXd& mean, const VectorXd& variance)
      : mean_(mean), variance_(variance) {
    for (int p = 0; p < state.outputs(); ++p)
      if (!std::isnan(y[p])) observed_.push_back(p);
    const Index count = Index(observed_.size());
    mixing_.resize(state.mixing.rows(), count);
    VectorXd error(count), noise(count);
    for (Index q = 0; q < count; ++q) {
      mixing_.col(q) = state.mixing.col(observed_[std::size_t(q)]);
      error[q] = y[observed_[std::size_t(q)]] - mixing_.col(q).dot(mean);
      noise[q] = state.output_noise[observed_[std::size_t(q)]] / weight;
    }
    MatrixXd covariance = mixing_.transpose() * variance.asDiagonal() * mixing_;
    covariance.diagonal() += noise;
    const Eigen::LLT<MatrixXd> factor(covariance);
    alpha_ = factor.solve(error);
    value_ =
        -0.5 * (double(count) * log_two_pi + error.dot(alpha_)) - factor.matrixLLT().diagonal().array().log().sum();
    covariance_bar_ = 0.5 * (alpha_ * alpha_.transpose() - factor.solve(MatrixXd::Identity(count, count)));
    noise_bar_ = covariance_bar_.diagonal().cwiseProduct(noise);
  }

  double value() const { return value_; }
  VectorXd d_mean() const { return mixing_ * alpha_; }
  VectorXd d_variance() const { return (mixing_ * covariance_bar_).cwiseProduct(mixing_).rowwise().sum(); }

  // x: the row of the design.
  void add_parameters(double share, const double* x, ScoreSums& sums) const {
    const MatrixXd mixing_bar = mean_ * alpha_.transpose() + 2.0 * variance_.asDiagonal() * mixing_ * covariance_bar_;
    for (std::size_t q = 0; q < observed_.size(); ++q) {
      sums.mixing.col(observed_[q]) += share * mixing_bar.col(Index(q));
      sums.output_noise[observed_[q]] += share * noise_bar_[Index(q)];
      for (Index c = 0; c < sums.trend.rows(); ++c) sums.trend(c, observed_[q]) += share * alpha_[Index(q)] * x[c];
    }
  }

 private:
  const VectorXd &mean_, &variance_;
  std::vector<int> observed_;
  MatrixXd mixing_, covariance_bar_;
  VectorXd alpha_, noise_bar_;
  double value_;
};

// Calls body(row, component, row of the moments, density) for all rows and components.
template <class Body>
void over_densities(const DeepState& state, const DeepResponse& response, const ComponentMoments& moments,
                    const Body& body) {
  const Index n = response.rows();
  for (Index s = 0; s < state.log_weights.size(); ++s)
    for (Index i = 0; i < n; ++i) {
      const VectorXd mean = moments.mean.row(s * n + i), variance = moments.variance.row(s * n + i);
      const double weight = response.weights.empty() ? 1.0 : response.weights[std::size_t(i)];
      body(i, s, s * n + i, RowDensity(state, response.y.data() + i * response.outputs, weight, mean, variance));
    }
}

}  // namespace

ComponentDensities coregionalised_densities(const DeepState& state, const DeepResponse& response,
                                            const ComponentMoments& moments) {
  const Index rows = moments.mean.rows(), units = moments.mean.cols();
  ComponentDensities result{MatrixXd(response.rows(), state.log_weights.size()),
                            {MatrixXd(rows, units), MatrixXd(rows, units)}};
  over_densities(state, response, moments, [&](Index i, Index s, Index row, const RowDensity& density) {
    result.value(i, s) = density.value();
    result.slope.mean.row(row) = density.d_mean();
    result.slope.variance.row(row) = density.d_variance();
  });
  return result;
}

void add_coregionalised_parameters(const DeepState& state, const DeepResponse& response,
                                   const ComponentMoments& moments, const MatrixXd& share, ScoreSums& sums) {
  over_densities(state, response, moments, [&](Index i, Index s, Index, const RowDensity& density) {
    density.add_parameters(share(i, s), response.design.data() + i * response.columns, sums);
  });
}

// Let e = y - A'mu, let V_p = sum_w A_wp^2 v_w be the variance of output p, and let n_p be the variance of its noise.
// Over the outputs that are observed,
//   E log p = -1/2 sum_p [log(2 pi n_p) + (e_p^2 + V_p) / n_p].
MomentDerivatives add_coregionalised_expectations(const DeepState& state, const DeepResponse& response,
                                                  const ComponentMoments& moments, double scale, MatrixXd& value,
                                                  ScoreSums& sums) {
  const Index n = response.rows(), components = state.log_weights.size(), units = moments.mean.cols();
  MomentDerivatives slope{MatrixXd::Zero(n * components, units), MatrixXd::Zero(n * components, units)};
  value = MatrixXd::Zero(n, components);
  for (Index s = 0; s < components; ++s) {
    const double share = scale * std::exp(state.log_weights[s]);
    for (Index i = 0; i < n; ++i) {
      const Index row = s * n + i;
      const VectorXd mean = moments.mean.row(row), variance = moments.variance.row(row);
      const double* y = response.y.data() + i * response.outputs;
      const double* x = response.design.data() + i * response.columns;
      for (int p = 0; p < response.outputs; ++p) {
        if (std::isnan(y[p])) continue;
        const VectorXd mixing = state.mixing.col(p), squares = mixing.cwiseAbs2();
        const double noise =
            state.output_noise[p] / (response.weights.empty() ? 1.0 : response.weights[std::size_t(i)]);
        const double error = y[p] - mixing.dot(mean), square = error * error + squares.dot(variance);
        value(i, s) -= 0.5 * (log_two_pi + std::log(noise) + square / noise);
        slope.mean.row(row) += share * error / noise * mixing.transpose();
        slope.variance.row(row) -= 0.5 * share / noise * squares.transpose();
        sums.mixing.col(p) += share / noise * (error * mean - mixing.cwiseProduct(variance));
        sums.output_noise[p] += 0.5 * share * (square / noise - 1.0);
        for (Index c = 0; c < sums.trend.rows(); ++c) sums.trend(c, p) += share * error / noise * x[c];
      }
    }
  }
  return slope;
}

}  // namespace detail
}  // namespace neargp
