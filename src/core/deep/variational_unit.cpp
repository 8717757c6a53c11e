#include "deep/variational_unit.h"

#include "linalg/products.h"

namespace neargp {

namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

}  // namespace

Covariance unit_covariance(const UnitState& state, Family kernel, double shape) {
  Component component;
  component.family = kernel;
  component.variance = state.variance;
  component.shape = shape;
  component.range.assign(state.range.data(), state.range.data() + state.range.size());
  for (Index d = 0; d < state.range.size(); ++d) component.group.push_back(int(d));
  Covariance covariance;
  covariance.components.push_back(component);
  covariance.active.assign(std::size_t(covariance.parameters()), 1);
  if (component.has_shape()) covariance.active[std::size_t(component.parameters()) - 1] = 0;
  return covariance;
}

double divergence(const UnitState& unit) {
  const double trace = unit.full() ? unit.factor.squaredNorm() : unit.sd.squaredNorm();
  const double half_log = unit.full() ? unit.factor.diagonal().array().log().sum() : unit.sd.array().log().sum();
  return 0.5 * (trace + unit.mean.squaredNorm() - double(unit.inducing())) - half_log;
}

void posterior_gradient(const UnitState& state, const VectorXd& projected, const VectorXd& gram_diagonal,
                        const MatrixXd& half_slope, double divergence_weight, UnitState& gradient) {
  gradient.mean = projected - divergence_weight * state.mean;
  if (state.full()) {
    gradient.factor = 2.0 * half_slope - divergence_weight * state.factor;
    gradient.factor.triangularView<Eigen::StrictlyUpper>().setZero();
    gradient.factor.diagonal().array() =
        gradient.factor.diagonal().array() * state.factor.diagonal().array() + divergence_weight;
  } else {
    const auto square = state.sd.array().square();
    gradient.sd = 2.0 * square * gram_diagonal.array() - divergence_weight * (square - 1.0);
  }
}

void prior_gradient(const InducingGradient& covariance, UnitState& gradient) {
  gradient.positions = covariance.positions;
  gradient.variance = covariance.parameters[0];
  for (Index d = 0; d < gradient.range.size(); ++d) gradient.range[d] = covariance.parameters[std::size_t(1 + d)];
}

void UnitSums::add(const UnitSums& other) {
  gram += other.gram;
  projected += other.projected;
  covariance.add(other.covariance);
}

VariationalUnit::VariationalUnit(const UnitState& state, Family kernel, double shape, double jitter, bool derivatives)
    : state_(state), covariance_(prepare(unit_covariance(state, kernel, shape), int(state.range.size()), derivatives)) {
  const RowMajorMatrix positions = state.positions;
  points_ = std::make_unique<InducingPoints>(covariance_, points_of(positions));
  for (int attempt = 0; attempt < jitter_attempts && !(factor_ && factor_->regular());
       ++attempt, jitter *= jitter_growth)
    factor_ = std::make_unique<InducingFactor>(*points_, jitter, derivatives);
  if (derivatives && factor_->regular()) inverse_ = std::make_unique<LowerInverse>(factor_->lower());
}

// Predictions use a solve, in which the digits of a column depend on no other column. Training uses products.
void VariationalUnit::whiten(bool derivatives, const ProductEngine& engine, UnitRows& rows) const {
  if (derivatives) {
    rows.features.resize(rows.cross.rows(), rows.cross.cols());
    return inverse_->multiply(rows.cross, rows.features);
  }
  rows.features = rows.cross;
  lower_solve(factor_->lower(), rows.features, engine);
}

void VariationalUnit::rows(const RowMajorMatrix& kernel_inputs, bool derivatives, const ProductEngine& engine,
                           UnitRows& result) const {
  points_->covariances(points_of(kernel_inputs), derivatives ? &result.parts : nullptr, result.cross);
  whiten(derivatives, engine, result);
  const MatrixXd& features = result.features;
  result.mean = features.transpose() * state_.mean;
  result.variance = covariance_.variance - features.colwise().squaredNorm().transpose().array();
  if (state_.full()) {
    result.spread.setZero(features.rows(), features.cols());
    engine.add_product(1.0, {state_.factor.data(), features.rows(), features.rows(), features.rows(), true},
                       {features.data(), features.rows(), features.cols(), features.rows()},
                       {result.spread.data(), features.rows(), features.cols(), features.rows()});
    result.variance += result.spread.colwise().squaredNorm().transpose();
  } else {
    for (Index i = 0; i < features.cols(); ++i)
      result.variance[i] += features.col(i).cwiseProduct(state_.sd).squaredNorm();
  }
}

UnitSums VariationalUnit::zero_sums() const {
  const Index m = state_.inducing();
  return {MatrixXd::Zero(m, m), VectorXd::Zero(m), points_->zero_gradient()};
}

// Computes (S - I) times `features`, where `spread` is C' times `features`.
void VariationalUnit::less_prior(const MatrixXd& features, const MatrixXd& spread, MatrixXd& result) const {
  if (!state_.full()) {
    result = (state_.sd.array().square() - 1.0).matrix().asDiagonal() * features;
    return;
  }
  result.resize(features.rows(), features.cols());
  multiply(state_.factor, spread, result);
  result -= features;
}

void VariationalUnit::adjoint(UnitRows& rows, const VectorXd& mean_bar, const VectorXd& variance_bar, UnitSums& sums,
                              MatrixXd* kernel_inputs_bar) const {
  const MatrixXd& features = rows.features;
  sums.projected += features * mean_bar;
  weighted_rank_update(features, variance_bar, sums.gram, rows.scratch);
  less_prior(features, rows.spread, rows.scratch);
  // The sum of dF/dK_zx times K_zx is that of dF/dA times A.
  double scale = 0.0;
  for (Index i = 0; i < features.cols(); ++i) {
    rows.scratch.col(i) = 2.0 * variance_bar[i] * rows.scratch.col(i) + mean_bar[i] * state_.mean;
    scale += rows.scratch.col(i).dot(features.col(i));
  }
  inverse_->multiply_transposed(rows.scratch, rows.cross);
  points_->contract(rows.parts, rows.cross, scale, sums.covariance, kernel_inputs_bar);
  points_->contract_variance(variance_bar.sum(), sums.covariance);
}

void VariationalUnit::finish(UnitSums& sums, double divergence_weight, UnitState& gradient) const {
  const MatrixXd gram = sums.gram.selfadjointView<Eigen::Lower>();
  MatrixXd half_slope;  // R C
  MatrixXd seen;        // C'R
  if (state_.full()) {
    half_slope.resize(gram.rows(), gram.cols());
    multiply(gram, state_.factor, half_slope);
    seen = half_slope.transpose();
  }
  posterior_gradient(state_, sums.projected, gram.diagonal(), half_slope, divergence_weight, gradient);
  MatrixXd g;
  less_prior(gram, seen, g);
  g = state_.mean * sums.projected.transpose() + 2.0 * g;
  factor_->adjoint(g, sums.covariance, inverse_.get());
  prior_gradient(sums.covariance, gradient);
}

}  // namespace neargp
