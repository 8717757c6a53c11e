#include "deep/device_layer.h"

#include "base/error.h"

namespace neargp {

namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

PreparedCovariance correlation_of(UnitState unit, Family kernel, double shape) {
  unit.variance = 1.0;
  PreparedCovariance covariance = prepare(unit_covariance(unit, kernel, shape), int(unit.range.size()), true);
  keep_slopes(covariance);
  return covariance;
}

// A matrix of value(unit), one unit after the other.
template <class Value>
MatrixXd side_by_side(const LayerState& layer, Index rows, Index columns, const Value& value) {
  MatrixXd all(rows, columns * Index(layer.units.size()));
  for (std::size_t unit = 0; unit < layer.units.size(); ++unit)
    all.middleCols(Index(unit) * columns, columns) = value(unit);
  return all;
}

}  // namespace

DeviceLayer::Unit::Unit(const UnitState& state, Family kernel, double shape)
    : covariance(neargp::prepare(unit_covariance(state, kernel, shape), int(state.range.size()), true)),
      points(covariance, points_of(RowMajorMatrix(state.positions))),
      outer(MatrixXd::Zero(state.range.size(), state.range.size())) {}

DeviceLayer::DeviceLayer(const DenseDevice& device, const DeepState& state, const LayerState& layer, bool derivatives)
    : device_(device), state_(state), layer_(layer), derivatives_(derivatives), inducing_(layer.units[0].inducing()),
      dim_(int(layer.units[0].range.size())), correlation_(correlation_of(layer.units[0], state.kernel, state.shape)),
      points_(device), variances_(device), ones_(device), factored_(device), inverse_(device), posterior_(device),
      rows_(device), cross_(device), features_(device), spread_(device), mean_(device), variance_(device),
      gram_(device), projected_(device), weighted_(device), seen_(device) {
  for (const UnitState& unit : layer.units) {
    if (unit.inducing() != inducing_ || unit.full() != full())
      throw Error("On a GPU the units of a layer have equally many inducing points, and posteriors of one form.");
    units_.emplace_back(unit, state.kernel, state.shape);
  }
}

// ---- prior and posterior --------------------------------------------------------------------------------------------

MatrixXd DeviceLayer::with_ones(const MatrixXd& scaled) const {
  MatrixXd result(scaled.rows(), dim_ + 1);
  result << scaled, VectorXd::Ones(scaled.rows());
  return result;
}

MatrixXd DeviceLayer::of_unit(const MatrixXd& all, std::size_t unit) const {
  const Index columns = all.cols() / units();
  return all.middleCols(Index(unit) * columns, columns);
}

// Each matrix's diagonal, as one row.
Stack DeviceLayer::diagonals(DeviceMatrix& matrices) {
  Stack stack = matrices.stack(units());
  stack.first = {stack.first.data, 1, inducing_, inducing_ + 1};
  return stack;
}

// result = alpha A B
void DeviceLayer::multiply(double alpha, ConstStack a, ConstStack b, DeviceMatrix& result) {
  const Index rows = a.first.transposed ? a.first.columns : a.first.rows;
  const Index columns = b.first.transposed ? b.first.rows : b.first.columns;
  result.set_zero(rows, columns * units());
  device_.stacks->add_products(alpha, a, b, result.stack(units()));
}

void DeviceLayer::upload_posterior() {
  const auto unit_state = [&](std::size_t unit) -> const UnitState& { return layer_.units[unit]; };
  posterior_.mean.upload(side_by_side(layer_, inducing_, 1, [&](std::size_t u) { return unit_state(u).mean; }));
  posterior_.shrinkage.upload(side_by_side(layer_, inducing_, 1, [&](std::size_t u) -> VectorXd {
    if (full()) return VectorXd::Constant(inducing_, -1.0);
    return unit_state(u).sd.array().square() - 1.0;
  }));
  if (full())
    posterior_.factor.upload(
        side_by_side(layer_, inducing_, inducing_, [&](std::size_t u) { return unit_state(u).factor; }));
}

void DeviceLayer::prepare(Index) {
  device_.use();
  points_.upload(
      side_by_side(layer_, inducing_, dim_ + 1, [&](std::size_t u) { return with_ones(units_[u].points.scaled(0)); }));
  VectorXd variances(units());
  for (Index u = 0; u < units(); ++u) variances[u] = layer_.units[std::size_t(u)].variance;
  variances_.upload(variances);
  ones_.upload(MatrixXd::Ones(inducing_, units()));
  upload_posterior();
  factorize();
  if (singular()) return;
  invert();
  if (!derivatives_) return;
  gram_.set_zero(inducing_, inducing_ * units());
  projected_.set_zero(inducing_, units());
  weighted_.set_zero(inducing_, (dim_ + 1) * units());
}

// Adds more jitter only for the units that need it.
void DeviceLayer::factorize() {
  VectorXd jitter(units());
  for (Index u = 0; u < units(); ++u) jitter[u] = state_.jitter * layer_.units[std::size_t(u)].variance;
  const auto regular = std::make_unique<bool[]>(std::size_t(units()));
  for (int attempt = 0; attempt < jitter_attempts && (attempt == 0 || singular()); ++attempt) {
    DeviceMatrix added(device_, jitter);
    factored_.set_zero(inducing_, inducing_ * units());
    device_.add_covariances(correlation_, 0, places(points_), places(points_), variances_.data(),
                            factored_.stack(units()));
    device_.combine_rows(added.data(), row_of_ones(), ones_.data(), diagonals(factored_));
    device_.stacks->factorize(factored_.stack(units()), regular.get());
    regular_.assign(regular.get(), regular.get() + units());
    for (Index u = 0; u < units(); ++u)
      if (!regular_[std::size_t(u)]) jitter[u] *= jitter_growth;
  }
}

std::optional<Index> DeviceLayer::singular() const {
  for (std::size_t unit = 0; unit < regular_.size(); ++unit)
    if (!regular_[unit]) return Index(unit);
  return std::nullopt;
}

void DeviceLayer::invert() {
  inverse_.set_zero(inducing_, inducing_ * units());
  device_.combine_rows(ones_.data(), row_of_ones(), nullptr, diagonals(inverse_));
  device_.stacks->solve_left(factored_.stack(units()), inverse_.stack(units()));
}

// ---- rows -----------------------------------------------------------------------------------------------------------

double DeviceLayer::row_bytes() const {
  const Index matrices = full() ? 3 : 2;
  return sizeof(double) * double(units() * (matrices * inducing_ + 2 * (dim_ + 1) + 4));
}

void DeviceLayer::moments(bool, const ProductEngine&, LayerRows& at) {
  const Index n = at.kernel_inputs.rows(), w = units();
  scaled_ = side_by_side(layer_, n, dim_ + 1, [&](std::size_t unit) {
    return with_ones(units_[unit].points.scaled(0, points_of(at.kernel_inputs)));
  });
  rows_.upload(scaled_);
  cross_.set_zero(n, inducing_ * w);
  device_.add_covariances(correlation_, 0, places(rows_), places(points_), variances_.data(), cross_.stack(w));
  multiply(1.0, cross_.stack(w), transposed(inverse_.stack(w)), features_);
  multiply(1.0, features_.stack(w), posterior_.mean.stack(w), mean_);
  variance_.set_zero(n, w);
  device_.add_squares(features_.stack(w), posterior_.shrinkage.data(), variance_.data());
  if (full()) {
    multiply(1.0, features_.stack(w), posterior_.factor.stack(w), spread_);
    device_.add_squares(spread_.stack(w), ones_.data(), variance_.data());
  }
  at.mean = mean_.download();
  at.variance = variance_.download();
  for (Index unit = 0; unit < w; ++unit) at.variance.col(unit).array() += layer_.units[std::size_t(unit)].variance;
}

// Computes half of (dF/dA)' from diag(vbar) A', which it overwrites. For a full S, `spread` must contain diag(vbar)
// A'C. From R, R C and t, the corresponding sums, it computes half of G' = (dF/dA A')'.
void DeviceLayer::to_adjoint(DeviceMatrix& features, const DeviceMatrix& spread, const DeviceMatrix& mean_bar) {
  const Index w = units();
  device_.scale_columns(posterior_.shrinkage.data(), features.stack(w));
  if (full())
    device_.stacks->add_products(1.0, spread.stack(w), transposed(posterior_.factor.stack(w)), features.stack(w));
  // Half of the other term, since the last factor doubles the sum.
  device_.stacks->add_products(0.5, mean_bar.stack(w), transposed(posterior_.mean.stack(w)), features.stack(w));
}

void DeviceLayer::adjoint(LayerRows&, const MatrixXd& mean_bar, const MatrixXd& variance_bar, std::vector<UnitSums>&,
                          MatrixXd* kernel_inputs_bar) {
  const Index w = units();
  mean_.upload(mean_bar);
  variance_.upload(variance_bar);
  for (Index unit = 0; unit < w; ++unit) units_[std::size_t(unit)].variance_bar += variance_bar.col(unit).sum();
  device_.stacks->add_products(1.0, transposed(features_.stack(w)), mean_.stack(w), projected_.stack(w));
  device_.combine_rows(variance_.data(), features_.stack(w), nullptr, cross_.stack(w));
  device_.stacks->add_products(1.0, transposed(features_.stack(w)), cross_.stack(w), gram_.stack(w));
  if (full()) device_.combine_rows(variance_.data(), spread_.stack(w), nullptr, spread_.stack(w));
  to_adjoint(cross_, spread_, mean_);
  multiply(2.0, cross_.stack(w), inverse_.stack(w), features_);
  contract_rows(kernel_inputs_bar);
}

// Starts from the derivatives in K_xz, which are stored in place of the features.
void DeviceLayer::contract_rows(MatrixXd* kernel_inputs_bar) {
  const Index w = units();
  device_.scale_by_slopes(correlation_, 0, places(rows_), places(points_), variances_.data(), features_.stack(w));
  device_.stacks->add_products(1.0, transposed(features_.stack(w)), rows_.stack(w), weighted_.stack(w));
  multiply(1.0, features_.stack(w), points_.stack(w), seen_);
  const MatrixXd all_seen = seen_.download();
  for (std::size_t unit = 0; unit < units_.size(); ++unit) {
    const MatrixXd seen = of_unit(all_seen, unit), scaled = of_unit(scaled_, unit).leftCols(dim_);
    const VectorXd of_row = seen.col(dim_);
    units_[unit].outer += scaled.transpose() * of_row.asDiagonal() * scaled;
    if (kernel_inputs_bar)
      units_[unit].points.add_point_slopes(0, of_row, seen.leftCols(dim_), scaled, *kernel_inputs_bar);
  }
}

// ---- the gradient ---------------------------------------------------------------------------------------------------

// Turns half of G', stored in place of R, into T: the derivatives in K_zz times their slopes. Returns T [Z, 1], which
// overwrites the corresponding sums of the rows.
MatrixXd DeviceLayer::contract_prior() {
  const Index w = units();
  device_.mirror_upper(gram_.stack(w));
  multiply(1.0, gram_.stack(w), inverse_.stack(w), factored_);
  multiply(-1.0, transposed(inverse_.stack(w)), factored_.stack(w), gram_);
  device_.scale_by_slopes(correlation_, 0, places(points_), places(points_), variances_.data(), gram_.stack(w));
  multiply(1.0, gram_.stack(w), points_.stack(w), weighted_);
  return weighted_.download();
}

// Uses only the memory of L, whose inverse is known, and of the sums over rows: the rows were given all free memory.
//
// The derivative in the logarithm of a unit's variance consists of two parts. It is tr G through K_zx, minus half of
// that through K_zz, jitter included.
void DeviceLayer::finish(Index, std::vector<UnitSums>&, double divergence_weight, LayerState& gradient) {
  const Index w = units();
  mean_.resize(inducing_, w);
  device_.combine_rows(ones_.data(), diagonals(gram_), nullptr, {{mean_.data(), 1, inducing_, 1}, w, inducing_});
  const MatrixXd diagonal = mean_.download(), projected = projected_.download(), weighted = weighted_.download();
  if (full()) multiply(1.0, gram_.stack(w), posterior_.factor.stack(w), factored_);
  const MatrixXd half_slopes = full() ? factored_.download() : MatrixXd(inducing_, 0);
  to_adjoint(gram_, factored_, projected_);
  const MatrixXd of_prior = contract_prior();
  for (std::size_t unit = 0; unit < units_.size(); ++unit) {
    const UnitState& state = layer_.units[unit];
    const Unit& own = units_[unit];
    const VectorXd t = projected.col(Index(unit)), of_gram = diagonal.col(Index(unit));
    const MatrixXd half_slope = of_unit(half_slopes, unit);
    posterior_gradient(state, t, of_gram, half_slope, divergence_weight, gradient.units[unit]);
    const double spread = full() ? state.factor.cwiseProduct(half_slope).sum() - of_gram.sum()
                                 : ((state.sd.array().square() - 1.0) * of_gram.array()).sum();
    const double trace = state.mean.dot(t) + 2.0 * spread;
    prior_gradient(prior_sums(own, of_unit(weighted, unit), of_unit(of_prior, unit), trace), gradient.units[unit]);
  }
}

InducingGradient DeviceLayer::prior_sums(const Unit& unit, const MatrixXd& of_rows, const MatrixXd& of_prior,
                                         double trace) const {
  InducingGradient sums = unit.points.zero_gradient(), among = sums;
  unit.points.add_slopes(0, {of_rows.col(dim_), of_rows.leftCols(dim_), unit.outer, trace, 0.0}, sums);
  unit.points.contract_variance(unit.variance_bar, sums);
  const MatrixXd& z = unit.points.scaled(0);
  const VectorXd of_row = of_prior.col(dim_);
  const MatrixXd outer = z.transpose() * of_row.asDiagonal() * z;
  unit.points.add_slopes(0, {of_row, of_prior.leftCols(dim_), outer, -0.5 * trace, 0.0}, among);
  sums.add(among, 2.0);
  return sums;
}

}  // namespace neargp
