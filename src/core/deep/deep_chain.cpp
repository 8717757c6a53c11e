#include "deep/deep_chain.h"

#include <cmath>
#include <limits>

#include "base/error.h"
#include "parallel/parallel_for.h"

namespace neargp {

namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

// Calls body(layer, unit) for all units, on several threads.
template <class Body>
void over_units(const DeepState& state, const RunContext& context, const Body& body) {
  std::vector<std::pair<std::size_t, std::size_t>> all;
  for (std::size_t layer = 0; layer < state.layers.size(); ++layer)
    for (std::size_t unit = 0; unit < state.layers[layer].units.size(); ++unit) all.push_back({layer, unit});
  parallel_for(context, Index(all.size()),
               [&](Index i) { body(all[std::size_t(i)].first, all[std::size_t(i)].second); });
}

void check_unit(const UnitState& unit, Index kernel_inputs, Index mean_inputs) {
  const Index m = unit.inducing();
  const bool fits = m > 0 && unit.positions.rows() == m && unit.positions.cols() == kernel_inputs &&
                    unit.range.size() == kernel_inputs && unit.weights.size() == mean_inputs &&
                    (unit.full() ? unit.factor.rows() == m && unit.factor.cols() == m : unit.sd.size() == m);
  if (!fits) throw Error("The parts of a unit do not fit together, or not to the inputs of its layer.");
}

// The two nearest positions in the unit's metric.
SingularUnit nearest_pair(const UnitState& unit, Index layer, Index number) {
  const MatrixXd scaled = unit.positions * unit.range.cwiseInverse().asDiagonal();
  SingularUnit result{layer, number, 0, 0};
  double least = std::numeric_limits<double>::infinity();
  for (Index i = 0; i < scaled.rows(); ++i)
    for (Index j = 0; j < i; ++j) {
      const double distance = (scaled.row(i) - scaled.row(j)).squaredNorm();
      if (distance < least) least = distance, result.first = j, result.second = i;
    }
  return result;
}

}  // namespace

void ChainSums::add(const ChainSums& other) {
  for (std::size_t layer = 0; layer < units.size(); ++layer)
    for (std::size_t unit = 0; unit < units[layer].size(); ++unit) units[layer][unit].add(other.units[layer][unit]);
  for (std::size_t layer = 0; layer < sites.size(); ++layer) sites[layer] += other.sites[layer];
}

DeepChain::DeepChain(const DeepState& state, int dim, bool derivatives, const RunContext& context, std::uint64_t step)
    : state_(state), dim_(dim), paths_(state, step) {
  Index below = 0;
  for (const LayerState& layer : state.layers) {
    if (layer.units.empty()) throw Error("A layer must have a unit.");
    if (below == 0 && (layer.kernel_inputs.hidden || layer.mean_inputs.hidden))
      throw Error("The first layer has no hidden inputs.");
    for (const UnitState& unit : layer.units)
      check_unit(unit, layer.kernel_inputs.count(below, dim), layer.mean_inputs.count(below, dim));
    below = Index(layer.units.size());
    units_.emplace_back(layer.units.size());
  }
  over_units(state, context, [&](std::size_t layer, std::size_t unit) {
    units_[layer][unit] = std::make_unique<VariationalUnit>(state.layers[layer].units[unit], state.kernel, state.shape,
                                                            state.jitter, derivatives);
  });
  find_failure();
}

void DeepChain::find_failure() {
  for (std::size_t layer = 0; layer < units_.size(); ++layer)
    for (std::size_t unit = 0; unit < units_[layer].size(); ++unit)
      if (!failure_ && !units_[layer][unit]->regular())
        failure_ = nearest_pair(units_[layer][unit]->state(), Index(layer), Index(unit));
}

// ---- forward
// ----------------------------------------------------------------------------------------------------------

// `hidden`: of the layer below, a row for each path and row.
RowMajorMatrix DeepChain::inputs_of(const LayerInputs& wanted, std::size_t layer, const RowMajorMatrix& hidden,
                                    const ChainRows& rows) const {
  const Index n = rows.x.n, below = wanted.hidden ? hidden.cols() : 0;
  RowMajorMatrix inputs(paths_.paths(layer) * n, below + (wanted.rows ? dim_ : 0));
  if (wanted.hidden) inputs.leftCols(below) = hidden;
  if (wanted.rows)
    for (Index path = 0; path < paths_.paths(layer); ++path)
      inputs.block(path * n, below, n, dim_) = Eigen::Map<const RowMajorMatrix>(rows.x.data, n, dim_);
  return inputs;
}

RowMajorMatrix DeepChain::values_behind(std::size_t layer, const LayerRows& at, const ChainRows& rows) const {
  const Index n = rows.x.n, paths = paths_.paths(layer + 1);
  RowMajorMatrix values(paths * n, width(layer));
  for (Index path = 0; path < paths; ++path) {
    const Index parent = paths_.parent(layer, path);
    for (Index unit = 0; unit < width(layer); ++unit)
      for (Index i = 0; i < n; ++i)
        values(path * n + i, unit) = at.mean(parent * n + i, unit) + paths_.site(layer, path, unit, rows.row(i)) *
                                                                         std::sqrt(at.variance(parent * n + i, unit));
  }
  return values;
}

void DeepChain::layers(const ChainRows& rows, bool derivatives, const ProductEngine& engine,
                       std::vector<LayerRows>& result) const {
  result.resize(units_.size());
  RowMajorMatrix hidden;
  for (std::size_t layer = 0; layer < units_.size(); ++layer) {
    const LayerState& state = state_.layers[layer];
    LayerRows& at = result[layer];
    at.kernel_inputs = inputs_of(state.kernel_inputs, layer, hidden, rows);
    at.mean_inputs = inputs_of(state.mean_inputs, layer, hidden, rows);
    at.mean.resize(at.kernel_inputs.rows(), width(layer));
    at.variance.resize(at.kernel_inputs.rows(), width(layer));
    at.units.resize(units_[layer].size());
    for (std::size_t unit = 0; unit < at.units.size(); ++unit) {
      UnitRows& of_unit = at.units[unit];
      units_[layer][unit]->rows(at.kernel_inputs, at.mean_inputs, derivatives, engine, of_unit);
      at.mean.col(Index(unit)) = of_unit.mean;
      at.variance.col(Index(unit)) = of_unit.variance;
    }
    if (layer + 1 < units_.size()) hidden = values_behind(layer, at, rows);
  }
}

// ---- backward
// ---------------------------------------------------------------------------------------------------------

ChainSums DeepChain::zero_sums() const {
  ChainSums sums;
  for (std::size_t layer = 0; layer < units_.size(); ++layer) {
    sums.units.emplace_back();
    for (const auto& unit : units_[layer]) sums.units.back().push_back(unit->zero_sums());
    if (layer + 1 < units_.size()) sums.sites.emplace_back(MatrixXd::Zero(paths_.paths(layer + 1), width(layer)));
  }
  return sums;
}

Index DeepChain::sums_size() const {
  Index size = 0;
  for (const LayerState& layer : state_.layers)
    for (const UnitState& unit : layer.units) size += unit.inducing() * (unit.inducing() + unit.positions.cols() + 1);
  return size;
}

void DeepChain::adjoint(std::vector<LayerRows>& layers, const ChainRows& rows, MatrixXd mean_bar, MatrixXd variance_bar,
                        ChainSums& sums) const {
  for (std::size_t layer = units_.size(); layer-- > 0;) {
    const MatrixXd bar = hidden_bar(layer, layers[layer], mean_bar, variance_bar, sums);
    if (layer > 0)
      through_sites(layer - 1, layers[layer - 1], rows, bar, mean_bar, variance_bar, sums.sites[layer - 1]);
  }
}

// Derivatives in the values of the layer below.
MatrixXd DeepChain::hidden_bar(std::size_t layer, LayerRows& at, const MatrixXd& mean_bar, const MatrixXd& variance_bar,
                               ChainSums& sums) const {
  const LayerState& state = state_.layers[layer];
  const Index below = layer > 0 ? width(layer - 1) : 0;
  MatrixXd bar = MatrixXd::Zero(at.mean.rows(), below);
  MatrixXd kernel_bar(at.mean.rows(), at.kernel_inputs.cols());
  for (Index unit = 0; unit < width(layer); ++unit) {
    const VectorXd of_mean = mean_bar.col(unit), of_variance = variance_bar.col(unit);
    kernel_bar.setZero();
    units_[layer][std::size_t(unit)]->adjoint(at.units[std::size_t(unit)], at.mean_inputs, of_mean, of_variance,
                                              sums.units[layer][std::size_t(unit)],
                                              state.kernel_inputs.hidden ? &kernel_bar : nullptr);
    if (state.kernel_inputs.hidden) bar += kernel_bar.leftCols(below);
    if (state.mean_inputs.hidden) bar += of_mean * state.units[std::size_t(unit)].weights.head(below).transpose();
  }
  return bar;
}

void DeepChain::through_sites(std::size_t layer, const LayerRows& at, const ChainRows& rows, const MatrixXd& bar,
                              MatrixXd& mean_bar, MatrixXd& variance_bar, MatrixXd& sites_bar) const {
  const Index n = rows.x.n;
  mean_bar = MatrixXd::Zero(at.mean.rows(), at.mean.cols());
  variance_bar = MatrixXd::Zero(at.mean.rows(), at.mean.cols());
  for (Index path = 0; path < paths_.paths(layer + 1); ++path) {
    const Index parent = paths_.parent(layer, path);
    for (Index unit = 0; unit < width(layer); ++unit)
      for (Index i = 0; i < n; ++i) {
        const double own = bar(path * n + i, unit), sd = std::sqrt(at.variance(parent * n + i, unit));
        mean_bar(parent * n + i, unit) += own;
        variance_bar(parent * n + i, unit) += own * paths_.site(layer, path, unit, rows.row(i)) / (2.0 * sd);
        sites_bar(path, unit) += own * sd;
      }
  }
}

double DeepChain::divergence() const {
  double sum = 0.0;
  for (const auto& layer : units_)
    for (const auto& unit : layer) sum += unit->divergence();
  return sum;
}

void DeepChain::finish(ChainSums& sums, double divergence_weight, const RunContext& context,
                       DeepState& gradient) const {
  over_units(state_, context, [&](std::size_t layer, std::size_t unit) {
    units_[layer][unit]->finish(sums.units[layer][unit], divergence_weight, gradient.layers[layer].units[unit]);
  });
  paths_.gradient(sums.sites, gradient);
}

}  // namespace neargp
