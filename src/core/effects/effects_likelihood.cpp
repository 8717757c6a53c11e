#include "effects/effects_likelihood.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "covariance/prepared.h"
#include "parallel/parallel_for.h"
#include "response/unpack_sums.h"

namespace neargp {

EffectsLikelihood::EffectsLikelihood(const LocalProblem& problem, const EffectColumns& columns, double most_work,
                                     double most_exact, bool roughly, const RunContext& context)
    : problem_(problem), rows_(problem, columns, context),
      system_(effect_system(rows_, most_work, most_exact, roughly, context)) {}

void EffectsLikelihood::hold(const RunContext& context) {
  held_ = solved_;
  system_->hold(context);
}

void EffectsLikelihood::let_go() {
  held_.resize(0, 0);
  system_->let_go();
}

EffectSums EffectsLikelihood::evaluate(const Covariance& covariance, const double* values, const RunContext& context) {
  covariance_ = problem_.checked(covariance);
  const LocalView view = problem_.view();
  weights_.resize(std::size_t(view.targets) * view.k);
  weighted_.resize(std::size_t(view.targets) * view.columns);
  variance_.resize(std::size_t(view.targets));
  const ConditionalWeights operation{false, weighted_.data(), variance_.data(), weights_.data()};
  const TargetSums totals = problem_.on_device().run(operation, prepare(covariance_, view.dim, false), context);
  EffectSums sums;
  sums.failed = failed_row(totals, problem_);
  if (sums.failed >= 0) return sums;
  for (Index t = 0; t < view.targets; ++t) {
    if (variance_[t] > 0.0) continue;
    sums.failed = problem_.row_of_datum(t);
    return sums;
  }
  rows_.set_values(values);
  rows_.whiten(weights_, variance_, context);
  if (!system_->factorize(context)) {
    sums.failed = problem_.row_of_datum(rows_.longest());
    return sums;
  }
  Eigen::MatrixXd cross = Eigen::MatrixXd::Zero(rows_.columns(), view.columns);
  add_sums(sums, cross);
  solved_ = cross;
  if (!(held_.size() > 0 ? system_->solve_near(solved_, held_) : system_->solve(solved_))) {
    sums.failed = problem_.row_of_datum(rows_.longest());
    return sums;
  }
  sums.log_det += system_->log_det();
  const Eigen::MatrixXd explained = cross.transpose() * solved_;
  for (int i = 0; i < view.columns; ++i)
    for (int j = 0; j < view.columns; ++j)
      sums.gram[i * view.columns + j] -= i >= j ? explained(i, j) : explained(j, i);
  return sums;
}

// Sums over targets, and W'E.
void EffectsLikelihood::add_sums(EffectSums& sums, Eigen::MatrixXd& cross) const {
  const LocalView view = problem_.view();
  const int columns = view.columns;
  std::vector<double> e(columns), gram(std::size_t(columns) * columns);
  for (Index t = 0; t < view.targets; ++t) {
    sums.log_det += std::log(variance_[t]);
    const double scale = 1.0 / std::sqrt(variance_[t]);
    for (int c = 0; c < columns; ++c) e[c] = scale * (view.target_values[t * columns + c] - weighted_[t * columns + c]);
    for (int i = 0; i < columns; ++i)
      for (int j = 0; j <= i; ++j) gram[i * columns + j] += e[i] * e[j];
    const double* w = rows_.entries(t);
    for (int c = 0; c < columns; ++c) {
      double* own = cross.col(c).data();
      for (int a = 0; a < rows_.count(t); ++a) own[rows_.column(t)[a]] += w[a] * e[c];
    }
  }
  sums.gram.resize(gram.size());
  fill_symmetric(sums.gram.data(), columns, [&](int i, int j) { return gram[i * columns + j]; });
}

EffectDerivatives EffectsLikelihood::derivatives(const Eigen::MatrixXd& contrasts, const RunContext& context) {
  const LocalView view = problem_.view();
  if (contrasts.rows() != view.columns || solved_.size() == 0)
    throw Error("A contrast must have a coefficient for each column.");
  EffectDerivatives result;
  result.effects = solved_ * contrasts;
  system_->invert(context);
  find_adjoint(contrasts, result.effects, context);
  ConditionalAdjoint operation;
  operation.weights = d_weights_.data();
  operation.variance = d_variance_.data();
  const TargetSums totals = problem_.on_device().run(operation, prepare(covariance_, view.dim, true), context);
  result.failed = failed_row(totals, problem_);
  for (int a = 0; a < covariance_.parameters(); ++a)
    result.gradient.push_back(covariance_.is_active(a) ? totals.sums[a] : 0.0);
  return result;
}

void EffectsLikelihood::find_adjoint(const Eigen::MatrixXd& contrasts, const Eigen::MatrixXd& effects,
                                     const RunContext& context) {
  const LocalView view = problem_.view();
  const int columns = view.columns, many = int(contrasts.cols()), k = view.k;
  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const RowMajor u = effects;
  std::vector<double> residual(std::size_t(problem_.data()) * many);
  const auto residual_of = [&](Index datum) { return residual.data() + datum * many; };
  for (Index i = 0; i < problem_.data(); ++i) {
    double* own = residual_of(i);
    for (int s = 0; s < many; ++s) {
      own[s] = 0.0;
      for (int c = 0; c < columns; ++c) own[s] += contrasts(c, s) * view.values[i * columns + c];
    }
    rows_.subtract_product(i, u.data(), many, own);
  }
  d_weights_.resize(weights_.size());
  d_variance_.resize(variance_.size());
  constexpr Index rows_per_chunk = 512;
  parallel_for(context, (view.targets + rows_per_chunk - 1) / rows_per_chunk, [&](Index chunk) {
    std::vector<double> e(many), h(rows_.most());
    for (Index t = chunk * rows_per_chunk; t < std::min(view.targets, (chunk + 1) * rows_per_chunk); ++t) {
      system_->multiply_inverse(t, h.data());
      const double* own = residual_of(t);
      std::copy_n(own, many, e.begin());
      for (int m = 0; m < k; ++m) {
        const int neighbor = view.neighbors[t * k + m];
        if (neighbor < 0) continue;
        for (int s = 0; s < many; ++s) e[s] -= weights_[t * k + m] * residual_of(neighbor)[s];
      }
      const double scale = 1.0 / std::sqrt(variance_[t]);
      double form = 0.0;
      for (int a = 0; a < rows_.count(t); ++a) form += rows_.entries(t)[a] * h[a];
      for (int s = 0; s < many; ++s) {
        e[s] *= scale;
        form += e[s] * e[s];
      }
      d_variance_[t] = (1.0 - form) / variance_[t];
      for (int m = 0; m < k; ++m) {
        const int neighbor = view.neighbors[t * k + m];
        double sum = 0.0;
        if (neighbor >= 0) {
          sum = rows_.product(t, m, neighbor, h.data());
          for (int s = 0; s < many; ++s) sum += residual_of(neighbor)[s] * e[s];
        }
        d_weights_[t * k + m] = -2.0 * scale * sum;
      }
    }
  });
}

}  // namespace neargp
