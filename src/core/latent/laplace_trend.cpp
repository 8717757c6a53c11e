// The trend of Laplace's approximation: the beta that maximises its value. Given beta, the field is at its mode, with
// the coefficients u of random effects E. Let M = [A, C'WE; E'WC, E'WE + I] and D = [C, E]. The linear predictors move
// with beta by X - D M^-1 D'WX, and log|A| moves with these by -s_i d3 log p. Therefore
//
//   dL/dbeta = X'(slope + r - W D t),   r_i = 1/2 s_i d3 log p,   t = M^-1 D'r.
//
// At the joint mode of field and trend X'slope = 0. It is the maximum only for a normal response, where r = 0.
#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <cmath>
#include <limits>

#include "base/error.h"
#include "latent/sparse_posterior.h"

namespace neargp {

namespace {

// The BFGS update of H, the inverse information, after the step s changed the gradient of the objective by -y.
void update_inverse(Eigen::MatrixXd& H, const Eigen::VectorXd& s, const Eigen::VectorXd& y) {
  const double sy = s.dot(y);
  if (!(sy > 0.0)) return;
  const Eigen::VectorXd Hy = H * y;
  H += (1.0 + y.dot(Hy) / sy) / sy * s * s.transpose() - (Hy * s.transpose() + s * Hy.transpose()) / sy;
}

}  // namespace

bool SparsePosterior::maximises_trend() const {
  return kind_ == PosteriorKind::laplace && !joint_trend_ && effects_.first() > 0 &&
         !likelihood_.all_are(ResponseFamily::gaussian);
}

// BFGS, which starts from the information at the joint mode. It stops before a step that promises a gain below a
// thousandth of the tolerance.
void SparsePosterior::climb_in_trend(PosteriorOutcome& outcome, PosteriorSettings settings, const RunContext& context) {
  held_ = effects_.first();
  state_.has_trend = true;
  const double least = 1e-3 * settings.tolerance;
  settings.tolerance *= 1e-2;
  TrendSlope here = trend_slope(context);
  Eigen::MatrixXd inverse = here.covariance;
  for (int round = 0; round < settings.max_iterations; ++round) {
    const Eigen::VectorXd step = inverse * here.gradient;
    if (!(0.5 * here.gradient.dot(step) > least)) return;
    const PosteriorState from = state_;
    double share = 2.0;
    PosteriorOutcome found;
    do {
      share *= 0.5;
      found = laplace_at(from, share * step, settings, context);
      outcome.iterations += found.iterations;
    } while (!(found.value > outcome.value) && share > 1e-3);
    if (!(found.value > outcome.value)) {  // rounding
      laplace_at(from, Eigen::VectorXd::Zero(held_), settings, context);
      return;
    }
    outcome.value = found.value;
    outcome.converged = found.converged;
    const Eigen::VectorXd before = here.gradient;
    here = trend_slope(context);
    update_inverse(inverse, share * step, before - here.gradient);
  }
  outcome.converged = false;
}

// Laplace's approximation after a step of the trend, which then stays fixed.
PosteriorOutcome SparsePosterior::laplace_at(PosteriorState start, const Eigen::VectorXd& step,
                                             const PosteriorSettings& settings, const RunContext& context) {
  state_ = std::move(start);
  for (Index c = 0; c < step.size(); ++c) state_.beta[c] += step[c];
  PosteriorOutcome outcome;
  try {
    outcome = find_mode(settings, context);
    outcome.value = finish_laplace(context);
  } catch (const Error&) {
    outcome.value = -std::numeric_limits<double>::infinity();
  }
  return outcome;
}

SparsePosterior::LaplaceMove SparsePosterior::laplace_move(const TrendSystem& system, const RunContext& context) const {
  const Index n = response_.n();
  const int p = response_.coefficients;
  LaplaceMove move{std::vector<double>(n), {}, std::vector<double>(n)};
  likelihood_.expectations(response_.observations(), state_.linear_predictor.data(), nullptr,
                           {nullptr, nullptr, nullptr, move.third.data()}, nullptr, context);
  const std::vector<double> variance = total_variance();
  std::vector<double> at_nodes(model_.nodes()), at_coefficients(p, 0.0);
  for (Index i = 0; i < n; ++i) move.third[i] *= 0.5 * variance[i];
  model_.sum_at_nodes(move.third.data(), at_nodes.data());
  for (Index i = 0; i < n; ++i)
    for (int c = 0; c < p; ++c) at_coefficients[c] += system.design_left()[i * p + c] * move.third[i];
  move.t = system.solve(at_nodes, at_coefficients, held_, context);
  model_.field_at_data(move.t.mean.data(), move.t_at_data.data());
  for (Index i = 0; i < n; ++i)
    for (int c = 0; c < p; ++c) move.t_at_data[i] += response_.design[i * p + c] * move.t.beta[c];
  return move;
}

SparsePosterior::TrendSlope SparsePosterior::trend_slope(const RunContext& context) const {
  const int count = effects_.first(), p = response_.coefficients;
  const TrendSystem system(model_, response_, centring(state_.precision), effects_.count(), factor_, state_.precision,
                           PosteriorFactor::precise, context);
  const LaplaceMove move = laplace_move(system, context);
  TrendSlope slope{Eigen::VectorXd::Zero(count), {}};
  for (Index i = 0; i < response_.n(); ++i) {
    const double at_datum = slope_[i] + move.third[i] - state_.precision[i] * move.t_at_data[i];
    for (int c = 0; c < count; ++c) slope.gradient[c] += response_.design[i * p + c] * at_datum;
  }
  const Eigen::MatrixXd covariance = system.information().ldlt().solve(Eigen::MatrixXd::Identity(p, p));
  slope.covariance = covariance.topLeftCorner(count, count);
  return slope;
}

// Minus the second derivatives in the trend, by differences of the gradient along the columns of `root`.
Eigen::MatrixXd SparsePosterior::trend_information(const Eigen::MatrixXd& root, const RunContext& context) {
  constexpr double step = 0.02;
  const PosteriorSettings settings{1e-10, 100};
  const PosteriorState center = state_;
  const std::vector<double> slope = slope_;
  Eigen::MatrixXd information(root.rows(), root.cols());
  for (Index c = 0; c < root.cols(); ++c) {
    const auto gradient_at = [&](double share) -> Eigen::VectorXd {
      laplace_at(center, share * root.col(c), settings, context);
      return trend_slope(context).gradient;
    };
    information.col(c) = root.transpose() * (gradient_at(-step) - gradient_at(step)) / (2.0 * step);
  }
  state_ = center;
  slope_ = slope;
  factorize_or_fall_back(context);
  factor_.find_inverse(context);
  effects_.find(factor_, state_.precision, context);
  return 0.5 * (information + information.transpose());
}

// The unit is the joint mode's standard errors, in which Laplace's second derivatives are close to 1. A direction in
// which its value is almost straight keeps a thousandth of the joint mode's information. Where nothing bounds the trend
// all of that information is kept.
TrendSystem::Trend SparsePosterior::trend(const RunContext& context) {
  const auto system = [&] {
    return TrendSystem(model_, response_, centring(state_.precision), effects_.count(), factor_, state_.precision,
                       PosteriorFactor::precise, context);
  };
  TrendSystem::Trend joint = system().trend();
  if (!maximises_trend() || !state_.has_trend) return joint;
  const int p = response_.coefficients, count = effects_.first();
  const Eigen::Map<const Eigen::MatrixXd> covariance(joint.covariance.data(), p, p);
  const Eigen::LLT<Eigen::MatrixXd> factored(covariance.topLeftCorner(count, count));
  if (factored.info() != Eigen::Success) return joint;
  const Eigen::MatrixXd root = factored.matrixL();
  const Eigen::MatrixXd information = trend_information(root, context);
  if (!information.allFinite()) return joint;
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> parts(information);
  const Eigen::MatrixXd back = root * parts.eigenvectors();
  const Eigen::MatrixXd of_trend =
      back * parts.eigenvalues().cwiseMax(1e-3).cwiseInverse().asDiagonal() * back.transpose();
  return system().trend(&of_trend);
}

}  // namespace neargp
