#include "variational/collapsed_bound_sums.h"

#include <cmath>

#include "base/constants.h"
#include "linalg/products.h"
#include "variational/generalized_least_squares.h"

namespace neargp {

using Eigen::MatrixXd;
using Eigen::VectorXd;

void CollapsedBoundSums::add(const CollapsedBoundSums& other) {
  gram += other.gram;
  cross += other.cross;
  columns += other.columns;
  traces += other.traces;
  log_precision += other.log_precision;
  unexplained += other.unexplained;
}

CollapsedBoundSums zero_sums(Index features, int columns) {
  return {MatrixXd::Zero(features, features), MatrixXd::Zero(features, columns), MatrixXd::Zero(columns, columns)};
}

double trace_terms(BoundKind kind, const VectorXd& precision, const VectorXd& unexplained) {
  const Eigen::ArrayXd ratio = precision.array() * unexplained.array();
  return kind == BoundKind::standard ? ratio.sum() : ratio.log1p().sum();
}

VectorXd trace_slopes(BoundKind kind, const VectorXd& precision, const VectorXd& unexplained) {
  if (kind == BoundKind::standard) return precision;
  return precision.array() / (1.0 + precision.array() * unexplained.array());
}

CollapsedBound failed_bound(BoundFailure failure) {
  CollapsedBound bound;
  bound.failure = failure;
  bound.value = -INFINITY;
  return bound;
}

namespace {

// `gram` includes the precision of the effects. Integrating over coefficients with the precision matrix lower lower'
// gives the factor 1 / |lower|. Each coefficient without a prior gives a further factor (2 pi)^(1/2).
bool add_trend(const MatrixXd& gram, const BoundSettings& settings, MatrixXd& contrasts, CollapsedBound& bound) {
  const Index coefficients = gram.rows() - 1, integrated = settings.reml ? coefficients : settings.effects;
  GeneralizedLeastSquares trend;
  if (!generalized_least_squares(gram, trend)) return false;
  contrasts = MatrixXd::Zero(coefficients + 1, integrated + 1);
  contrasts.col(0) = trend.contrast;
  bound.beta = trend.beta;
  bound.beta_covariance = trend.covariance;
  if (integrated == 0) return true;
  MatrixXd lower = gram.bottomRightCorner(integrated, integrated);
  if (!cholesky(lower)) return false;
  MatrixXd root = MatrixXd::Identity(integrated, integrated);
  lower_transposed_solve(lower, root);
  contrasts.bottomRightCorner(integrated, integrated) = root;
  bound.value = 0.5 * double(integrated - settings.effects) * log_two_pi - lower.diagonal().array().log().sum();
  const auto of_effects = root.bottomRows(settings.effects);
  bound.effects = of_effects * of_effects.transpose();
  return true;
}

// The rows and columns of diagonal block b of `blocks`.
template <class Matrix>
auto diagonal_block(Matrix& matrix, Index b, Index blocks) {
  const Index m = matrix.rows() / blocks;
  return matrix.block(b * m, b * m, m, m);
}

template <class Matrix>
auto row_block(Matrix& matrix, Index b, Index blocks) {
  const Index m = matrix.rows() / blocks;
  return matrix.middleRows(b * m, m);
}

// L L' = B
bool factorize(const MatrixXd& gram, Index blocks, MatrixXd& factor) {
  factor = MatrixXd::Zero(gram.rows(), gram.cols());
  for (Index b = 0; b < blocks; ++b) {
    diagonal_block(factor, b, blocks) = diagonal_block(gram, b, blocks);
    diagonal_block(factor, b, blocks).diagonal().array() += 1.0;
    if (!cholesky(diagonal_block(factor, b, blocks))) return false;
  }
  return true;
}

}  // namespace

CollapsedBound solve_bound(const CollapsedBoundSums& sums, Index n, const BoundSettings& settings, MatrixXd& contrasts,
                           Index blocks) {
  CollapsedBound bound;
  if (!factorize(sums.gram, blocks, bound.factor)) return failed_bound(BoundFailure::posterior);
  MatrixXd whitened = sums.cross;
  for (Index b = 0; b < blocks; ++b)
    lower_solve(diagonal_block(bound.factor, b, blocks), row_block(whitened, b, blocks));
  MatrixXd gram = sums.columns - whitened.transpose() * whitened;
  gram.diagonal().tail(settings.effects).array() += 1.0;
  if (!add_trend(gram, settings, contrasts, bound)) return failed_bound(BoundFailure::trend);
  bound.weights = whitened;
  for (Index b = 0; b < blocks; ++b)
    lower_transposed_solve(diagonal_block(bound.factor, b, blocks), row_block(bound.weights, b, blocks));
  const double rows = double(n);
  const double rss = contrasts.col(0).dot(gram * contrasts.col(0));
  const double log_det = 2.0 * bound.factor.diagonal().array().log().sum() - sums.log_precision;
  bound.value += -0.5 * (rows * log_two_pi + log_det + rss + sums.traces);
  bound.unexplained = sums.unexplained / rows;
  if (!std::isfinite(bound.value)) return failed_bound(BoundFailure::posterior);
  return bound;
}

MatrixXd posterior_covariance(const CollapsedBound& bound, Index blocks) {
  MatrixXd covariance = MatrixXd::Identity(bound.factor.rows(), bound.factor.cols());
  for (Index b = 0; b < blocks; ++b) {
    lower_solve(diagonal_block(bound.factor, b, blocks), diagonal_block(covariance, b, blocks));
    lower_transposed_solve(diagonal_block(bound.factor, b, blocks), diagonal_block(covariance, b, blocks));
  }
  return covariance;
}

}  // namespace neargp
