#include "variational/collapsed_bound_passes.h"

#include <algorithm>

#include "linalg/products.h"

namespace neargp {

namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

RegressionData some_rows(const RegressionData& data, Index first, Index last) {
  return {{data.coords[first], last - first, data.coords.dim},
          data.columns,
          data.values + first * data.columns,
          data.noise_scale + first};
}

// A column for each row of the data.
Eigen::Map<const MatrixXd> values_of(const RegressionData& rows) { return {rows.values, rows.columns, rows.coords.n}; }

// The residuals of the contrasts of rows.
MatrixXd residuals_of(const RegressionData& rows, const MatrixXd& contrasts, const MatrixXd& fitted) {
  MatrixXd residuals(rows.coords.n, contrasts.cols());
  multiply_transposed(values_of(rows), contrasts, residuals);
  residuals -= fitted;
  return residuals;
}

VectorXd precisions_of(const RegressionData& rows, double nugget) {
  return (nugget * Eigen::Map<const Eigen::ArrayXd>(rows.noise_scale, rows.coords.n)).inverse();
}

// The derivative in log nugget is -sum W_i dF/dW_i, with
//   dF/dW_i = 1/2 [ 1/W_i - (e_i - A_i'm)^2 - A_i'S A_i - d_i tau_i / W_i ].
double nugget_slope(const VectorXd& precision, const MatrixXd& residuals, const VectorXd& spread,
                    const VectorXd& slopes, const VectorXd& unexplained) {
  const Eigen::ArrayXd per_row = precision.array() * (residuals.rowwise().squaredNorm() + spread).array() +
                                 unexplained.array() * slopes.array() - 1.0;
  return 0.5 * per_row.sum();
}

// The terms of rows in the sums, other than their features. `weighted`: their values times their precisions.
void add_row_terms(const RegressionData& rows, const VectorXd& precision, const MatrixXd& weighted,
                   const VectorXd& unexplained, BoundKind kind, CollapsedBoundSums& sum) {
  add_product_transposed(values_of(rows), weighted, sum.columns);
  sum.traces += trace_terms(kind, precision, unexplained);
  sum.log_precision += precision.array().log().sum();
  sum.unexplained += unexplained.sum();
}

}  // namespace

void BoundAdjoints::add(const BoundAdjoints& other) {
  gradient.add(other.gradient);
  if (traced.size()) traced += other.traced;
}

CollapsedBoundPasses::CollapsedBoundPasses(const InducingFactor& factor, Index n, int columns,
                                           const BoundSettings& settings, bool keep, const DenseDevice* device)
    : factor_(factor), settings_(settings), n_(n), m_(factor.points().size()),
      keep_(keep && settings.kind == BoundKind::tight && cross_block_bytes(factor.points(), n) < settings.most_bytes),
      sums_(n, settings.chunk_rows, m_ * m_, zero_sums(m_, columns)), sums_on_device_(zero_sums(m_, columns)),
      gradient_on_device_(factor.points().zero_gradient()) {
  if (device) on_device_ = std::make_unique<DeviceBlock>(*device, factor, n);
  if (keep_ && !on_device_) kept_.resize(std::size_t((n + settings.chunk_rows - 1) / settings.chunk_rows));
}

void CollapsedBoundPasses::add_to_value(const RegressionData& piece, const RunContext& context) {
  if (on_device_) return add_to_value_on_device(piece, context);
  sums_.add(piece.coords.n, context, [&](Index first, Index last, CollapsedBoundSums& sum) {
    const RegressionData rows = some_rows(piece, first, last);
    const VectorXd precision = precisions_of(rows, factor_.points().covariance().nugget);
    auto block = std::make_unique<const CrossBlock>(factor_, rows.coords, keep_);
    const MatrixXd weighted = values_of(rows) * precision.asDiagonal();
    add_product_transposed(block->features(), weighted, sum.cross);
    weighted_rank_update(block->features(), precision, sum.gram);
    add_row_terms(rows, precision, weighted, block->unexplained(), settings_.kind, sum);
    if (keep_) kept_[std::size_t((value_rows_ + first) / settings_.chunk_rows)] = std::move(block);
  });
  value_rows_ += piece.coords.n;
}

CollapsedBound CollapsedBoundPasses::value() {
  if (on_device_) {
    sums_on_device_.gram = on_device_->gram();
    sums_on_device_.cross = on_device_->cross();
  }
  const CollapsedBoundSums sums = on_device_ ? sums_on_device_ : given_sums_ ? *given_sums_ : sums_.total();
  gram_ = sums.gram;
  traces_ = sums.traces;
  return solve_bound(sums, n_, settings_, contrasts_);
}

// Let alpha = W (e - A'm), m = B^-1 A W e, S = B^-1, and tau_i = dt_i / dd_i. The derivatives are
//
//   dF/dA = m alpha' - S A W + A diag(tau),   dF/dk_ii = -tau_i / 2.
//
// REML adds the columns V = (A'A + W^-1)^-1 X R to alpha, and A V to m. Here R R' = (X'(A'A + W^-1)^-1 X)^-1. The
// columns enter like alpha, since the derivative of -1/2 log|X'(A'A + W^-1)^-1 X| in A'A + W^-1 is 1/2 V V'. The
// derivative of the density's quadratic form is 1/2 alpha alpha'. Effects add such columns as well, with
// C = I + Z'(A'A + W^-1)^-1 Z in place of X'(A'A + W^-1)^-1 X.
void CollapsedBoundPasses::begin_gradient(const CollapsedBound& bound) {
  covariance_ = posterior_covariance(bound);
  means_ = bound.weights * contrasts_;
  begin_adjoints();
}

void CollapsedBoundPasses::begin_gradient(const BoundMoments& moments) {
  contrasts_ = moments.contrasts;
  means_ = moments.means;
  covariance_ = moments.covariance;
  begin_adjoints();
}

void CollapsedBoundPasses::begin_adjoints() {
  if (on_device_) return on_device_->set_posterior(means_, covariance_);
  const bool tight = settings_.kind == BoundKind::tight;
  const BoundAdjoints zero{factor_.points().zero_gradient(), tight ? MatrixXd::Zero(m_, m_) : MatrixXd()};
  adjoints_.emplace(n_, settings_.chunk_rows, m_ * m_, zero);
  if (!tight) posterior_.emplace(factor_, means_, covariance_);
}

void CollapsedBoundPasses::add_to_gradient(const RegressionData& piece, const RunContext& context) {
  if (on_device_) return add_to_gradient_on_device(piece, context);
  if (settings_.kind == BoundKind::tight)
    add_tight(piece, context);
  else
    add_standard(piece, context);
  gradient_rows_ += piece.coords.n;
}

InducingGradient CollapsedBoundPasses::gradient() const {
  if (on_device_) return gradient_on_device();
  BoundAdjoints total = given_adjoints_ ? *given_adjoints_ : adjoints_->total();
  if (posterior_) {  // tau = W. The sum over rows of W_i A_i'S A_i is tr S(B - I) = M - tr S.
    total.gradient.parameters.back() += 0.5 * (double(m_) - covariance_.trace() + traces_);
    total.traced = gram_;
  }
  add_prior_adjoint(factor_, means_, covariance_, total.traced, total.gradient);
  return total.gradient;
}

void CollapsedBoundPasses::add_tight(const RegressionData& piece, const RunContext& context) {
  adjoints_->add(piece.coords.n, context, [&](Index first, Index last, BoundAdjoints& sum) {
    const RegressionData rows = some_rows(piece, first, last);
    const std::size_t chunk = std::size_t((gradient_rows_ + first) / settings_.chunk_rows);
    if (keep_) return add_tight_adjoints(rows, *kept_[chunk], sum);
    add_tight_adjoints(rows, CrossBlock(factor_, rows.coords, true), sum);
  });
}

void CollapsedBoundPasses::add_tight_adjoints(const RegressionData& rows, const CrossBlock& block,
                                              BoundAdjoints& sum) const {
  const Index n = rows.coords.n;
  const MatrixXd& features = block.features();
  const VectorXd precision = precisions_of(rows, factor_.points().covariance().nugget);
  const VectorXd slopes = trace_slopes(settings_.kind, precision, block.unexplained());
  MatrixXd fitted(n, means_.cols());
  multiply_transposed(features, means_, fitted);
  const MatrixXd residuals = residuals_of(rows, contrasts_, fitted);
  VectorXd spread(n);
  MatrixXd bar(m_, n);
  multiply(covariance_, features, bar);
  for (Index i = 0; i < n; ++i) {
    spread[i] = features.col(i).dot(bar.col(i));
    bar.col(i) = slopes[i] * features.col(i) - precision[i] * bar.col(i);
  }
  add_product_transposed(means_, precision.asDiagonal() * residuals, bar);
  sum.gradient.parameters.back() += nugget_slope(precision, residuals, spread, slopes, block.unexplained());
  weighted_rank_update(features, slopes, sum.traced);
  block.adjoint(bar, -0.5 * slopes, sum.gradient);
}

void CollapsedBoundPasses::add_standard(const RegressionData& piece, const RunContext& context) {
  adjoints_->add(piece.coords.n, context, [&](Index first, Index last, BoundAdjoints& sum) {
    const RegressionData rows = some_rows(piece, first, last);
    const VectorXd precision = precisions_of(rows, factor_.points().covariance().nugget);
    double fit = 0.0;
    const auto alpha = [&](const MatrixXd& fitted) -> MatrixXd {
      const MatrixXd residuals = residuals_of(rows, contrasts_, fitted);
      fit = precision.dot(residuals.rowwise().squaredNorm());
      return precision.asDiagonal() * residuals;
    };
    posterior_->add_rows(rows.coords, precision, alpha, sum.gradient);
    sum.gradient.parameters.back() += 0.5 * (fit - double(last - first));
  });
}

// body(rows, their precisions) for one chunk of rows after the other.
template <class Body>
void CollapsedBoundPasses::for_each_chunk_on_device(const RegressionData& piece, const RunContext& context,
                                                    const Body& body) {
  const Index n = piece.coords.n, chunk = on_device_->chunk_rows();
  for (Index first = 0; first < n; first += chunk) {
    const RegressionData rows = some_rows(piece, first, std::min(first + chunk, n));
    body(rows, precisions_of(rows, factor_.points().covariance().nugget));
    if (context.check_interrupt) context.check_interrupt();
  }
}

void CollapsedBoundPasses::add_to_value_on_device(const RegressionData& piece, const RunContext& context) {
  for_each_chunk_on_device(piece, context, [&](const RegressionData& rows, const VectorXd& precision) {
    const VectorXd unexplained = on_device_->compute(rows.coords);
    const MatrixXd weighted = values_of(rows) * precision.asDiagonal();
    on_device_->add_moments(precision, weighted.transpose());
    add_row_terms(rows, precision, weighted, unexplained, settings_.kind, sums_on_device_);
  });
}

// Adjoints as of add_tight_adjoints(), for both kinds.
void CollapsedBoundPasses::add_to_gradient_on_device(const RegressionData& piece, const RunContext& context) {
  for_each_chunk_on_device(piece, context, [&](const RegressionData& rows, const VectorXd& precision) {
    const VectorXd unexplained = on_device_->compute(rows.coords);
    const DeviceBlock::Fitted fitted = on_device_->fitted();
    const VectorXd slopes = trace_slopes(settings_.kind, precision, unexplained);
    const MatrixXd residuals = residuals_of(rows, contrasts_, fitted.mean);
    gradient_on_device_.parameters.back() += nugget_slope(precision, residuals, fitted.spread, slopes, unexplained);
    on_device_->add_adjoint(slopes, precision, precision.asDiagonal() * residuals);
    factor_.points().contract_variance(-0.5 * slopes.sum(), gradient_on_device_);
  });
}

InducingGradient CollapsedBoundPasses::gradient_on_device() const {
  InducingGradient total = gradient_on_device_;
  on_device_->add_gradient(total);
  add_prior_adjoint(factor_, means_, covariance_, on_device_->traced(), total);
  return total;
}

}  // namespace neargp
