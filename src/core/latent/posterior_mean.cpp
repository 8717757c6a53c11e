// Mean and trend of a SparsePosterior given its pseudo-observations: the solution of
//
//   [A, C'WX; X'WC, X'WX] [m; beta] = [C'(t - W offset); X'(t - W offset)].
//
// A constant added to the trend and taken from the field changes eta nowhere, so elimination of the field leaves the
// small difference X'WX - X'WC A^-1 C'WX of large numbers, in which the error of an incomplete factor would count for
// much. So the field is centred: with Xn the design averaged at the nodes and R = X - C Xn what is left, v = m + Xn
// beta has the system
//
//   [A, -K; -K', N] [v; beta],   K = Q Xn - C'W R,   N = Xn'Q Xn + R'W R,
//
// whose Schur complement N - K'G, G = A^-1 K, is the same without the difference, for Q Xn is small where Xn is smooth.
// The field then answers to the trend by H = A^-1 C'WX = Xn - G.
#include <Eigen/Cholesky>
#include <algorithm>
#include <numeric>

#include "base/error.h"
#include "latent/latent_solve.h"
#include "latent/sparse_posterior.h"

namespace neargp {

namespace {

using Columns = Eigen::Map<const Eigen::MatrixXd>;
using Vector = Eigen::Map<const Eigen::VectorXd>;

}  // namespace

// X - C Xn, row-major.
std::vector<double> SparsePosterior::design_left() const {
  const Index n = response_.n();
  const int p = response_.coefficients;
  std::vector<double> left = response_.design, at_data(n);
  for (int c = 0; c < p; ++c) {
    model_.field_at_data(node_design_.data() + c * model_.nodes(), at_data.data());
    for (Index i = 0; i < n; ++i) left[i * p + c] -= at_data[i];
  }
  return left;
}

SparsePosterior::TrendSystem SparsePosterior::trend_system(const State& state, bool refined,
                                                           const RunContext& context) const {
  const Index m = model_.nodes(), n = response_.n();
  const int p = response_.coefficients;
  const std::vector<double> left = design_left();
  TrendSystem system;
  system.coupling.resize(std::size_t(m) * p);
  std::vector<double> weighted(n), at_nodes(m);
  Eigen::MatrixXd rest(p, p);
  for (int c = 0; c < p; ++c) {
    model_.precision_times(node_design_.data() + c * m, system.coupling.data() + c * m);
    for (Index i = 0; i < n; ++i) weighted[i] = state.precision[i] * left[i * p + c];
    for (int d = 0; d < p; ++d) {
      rest(c, d) = 0.0;
      for (Index i = 0; i < n; ++i) rest(c, d) += weighted[i] * left[i * p + d];
    }
    model_.sum_at_nodes(weighted.data(), at_nodes.data());
    rest.row(c) += Vector(system.coupling.data() + c * m, m).transpose() * Columns(node_design_.data(), m, p);
    for (Index j = 0; j < m; ++j) system.coupling[c * m + j] -= at_nodes[j];
  }
  system.response = system.coupling;
  solve_columns(system.response, refined, context);
  const Columns K(system.coupling.data(), m, p), G(system.response.data(), m, p);
  system.schur = rest - K.transpose() * G;
  return system;
}

// Solves, given the gradient in v (at fixed beta) and in beta (at fixed v), the step in m and beta; unless `refined`
// with the factor in the place of A.
SparsePosterior::Direction SparsePosterior::joint_solve(const TrendSystem& system, std::vector<double> at_nodes,
                                                        std::vector<double> at_coefficients, bool refined,
                                                        const RunContext& context) const {
  const int p = response_.coefficients;
  const Index m = model_.nodes();
  Direction result{at_nodes, std::move(at_coefficients)};
  solve_columns(result.mean, refined, context);
  if (p == 0) return result;
  const Columns G(system.response.data(), m, p), average(node_design_.data(), m, p);
  Eigen::Map<Eigen::VectorXd> beta(result.beta.data(), p), mean(result.mean.data(), m);
  beta = system.schur.ldlt().solve(beta + G.transpose() * Vector(at_nodes.data(), m)).eval();
  mean += (G - average) * beta;
  return result;
}

// Takes one Newton step of the quadratic objective of the pseudo-observations. Returns the gain that it promises. An
// incomplete factor is as good as exact for such steps, since others follow; steps by a restricted one may not even
// converge.
double SparsePosterior::move_mean(State& state, const RunContext& context) {
  const Index n = response_.n(), m = model_.nodes();
  const int p = response_.coefficients;
  std::vector<double> residual(n), field(n), at_nodes(m), prior(m), at_coefficients(p, 0.0);
  model_.field_at_data(state.mean.data(), field.data());
  const std::vector<double> trend = response_.trend(state.beta);
  for (Index i = 0; i < n; ++i) residual[i] = state.natural[i] - state.precision[i] * (trend[i] + field[i]);
  model_.sum_at_nodes(residual.data(), at_nodes.data());
  model_.precision_times(state.mean.data(), prior.data());
  for (Index j = 0; j < m; ++j) at_nodes[j] -= prior[j];
  const std::vector<double> left = design_left();
  for (int c = 0; c < p; ++c) {
    at_coefficients[c] = Vector(prior.data(), m).dot(Vector(node_design_.data() + c * m, m));
    for (Index i = 0; i < n; ++i) at_coefficients[c] += left[i * p + c] * residual[i];
  }
  const bool refined = pattern_.is_restricted();
  const Direction step =
      joint_solve(trend_system(state, refined, context), at_nodes, at_coefficients, refined, context);
  double predicted_gain = 0.0;
  for (Index j = 0; j < m; ++j) {
    double centered = step.mean[j];
    for (int c = 0; c < p; ++c) centered += node_design_[c * m + j] * step.beta[c];
    predicted_gain += 0.5 * at_nodes[j] * centered;
    state.mean[j] += step.mean[j];
  }
  for (int c = 0; c < p; ++c) {
    predicted_gain += 0.5 * at_coefficients[c] * step.beta[c];
    state.beta[c] += step.beta[c];
  }
  return predicted_gain;
}

SparsePosterior::Trend SparsePosterior::trend(const RunContext& context) const {
  const Index n = response_.n(), m = model_.nodes();
  const int p = response_.coefficients;
  const TrendSystem system = trend_system(state_, true, context);
  const Eigen::MatrixXd H = Columns(node_design_.data(), m, p) - Columns(system.response.data(), m, p);

  // X - C H = (X - C Xn) + C G
  const std::vector<double> left = design_left();
  std::vector<double> at_data(n);
  Eigen::MatrixXd unseen(n, p);
  for (int c = 0; c < p; ++c) {
    model_.field_at_data(system.response.data() + c * m, at_data.data());
    for (Index i = 0; i < n; ++i) unseen(i, c) = left[i * p + c] + at_data[i];
  }
  const Eigen::MatrixXd covariance =
      trend_information(model_, state_.precision, unseen, H).ldlt().solve(Eigen::MatrixXd::Identity(p, p));
  const Eigen::VectorXd added = (unseen * covariance).cwiseProduct(unseen).rowwise().sum();
  return {{H.data(), H.data() + H.size()},
          {covariance.data(), covariance.data() + covariance.size()},
          {added.data(), added.data() + n}};
}

std::vector<double> SparsePosterior::solve(const std::vector<double>& h, const RunContext& context) const {
  const auto precondition = [&](std::vector<double> x) {
    factor_->solve(x.data(), 1, context);
    return x;
  };
  LinearSolution solution = conjugate_gradient(
      [&](const std::vector<double>& x) { return posterior_precision_times(model_, factorized_, x); }, precondition, h,
      1e-10, 200, context);
  if (!solution.converged)
    throw Error("The conjugate gradients for the posterior mean did not converge: raise the jitter.");
  return std::move(solution.x);
}

// Solves in place, columns of one number for each node.
void SparsePosterior::solve_columns(std::vector<double>& columns, bool refined, const RunContext& context) const {
  const std::size_t m = std::size_t(model_.nodes());
  if (!refined) return factor_->solve(columns.data(), int(columns.size() / m), context);
  for (auto first = columns.begin(); first != columns.end(); first += m) {
    const std::vector<double> solved = solve({first, first + m}, context);
    std::copy(solved.begin(), solved.end(), first);
  }
}

}  // namespace neargp
