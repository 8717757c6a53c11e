#include "deep/deep_chain.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.h"
#include "deep/cpu_layer.h"
#include "deep/device_layer.h"
#include "parallel/parallel_for.h"

namespace neargp {

namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

// Calls body(layer, part) for all parts of all layers.
template <class Body>
void over_parts(const std::vector<std::unique_ptr<Layer>>& layers, const RunContext& context, const Body& body) {
  std::vector<std::pair<std::size_t, Index>> all;
  for (std::size_t layer = 0; layer < layers.size(); ++layer)
    for (Index part = 0; part < layers[layer]->parts(); ++part) all.emplace_back(layer, part);
  parallel_for(context, Index(all.size()),
               [&](Index i) { body(all[std::size_t(i)].first, all[std::size_t(i)].second); });
}

std::unique_ptr<Layer> layer_on(const DenseDevice* device, const DeepState& state, const LayerState& layer,
                                bool derivatives) {
  if (device) return std::make_unique<DeviceLayer>(*device, state, layer, derivatives);
  return std::make_unique<CpuLayer>(state, layer, derivatives);
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

void LayerSums::add(const LayerSums& other) {
  for (std::size_t unit = 0; unit < units.size(); ++unit) units[unit].add(other.units[unit]);
  weights += other.weights;
  constants += other.constants;
}

void ChainSums::add(const ChainSums& other) {
  for (std::size_t layer = 0; layer < layers.size(); ++layer) layers[layer].add(other.layers[layer]);
  for (std::size_t layer = 0; layer < sites.size(); ++layer) sites[layer] += other.sites[layer];
}

DeepChain::DeepChain(const DeepState& state, int dim, bool derivatives, const RunContext& context, std::uint64_t step)
    : state_(state), device_(context.dense), dim_(dim), paths_(state, step) {
  Index below = 0;
  for (const LayerState& layer : state.layers) {
    if (layer.units.empty()) throw Error("A layer must have a unit.");
    if (below == 0 && (layer.kernel_inputs.hidden || layer.mean_inputs.hidden))
      throw Error("The first layer has no hidden inputs.");
    for (const UnitState& unit : layer.units)
      check_unit(unit, layer.kernel_inputs.count(below, dim), layer.mean_inputs.count(below, dim));
    below = Index(layer.units.size());
    layers_.push_back(layer_on(context.dense, state, layer, derivatives));
  }
  over_parts(layers_, computing(context), [&](std::size_t layer, Index part) { layers_[layer]->prepare(part); });
  find_failure();
}

void DeepChain::find_failure() {
  for (std::size_t layer = 0; layer < layers_.size() && !failure_; ++layer)
    if (const std::optional<Index> unit = layers_[layer]->singular())
      failure_ = nearest_pair(state_.layers[layer].units[std::size_t(*unit)], Index(layer), *unit);
}

RunContext DeepChain::computing(RunContext context) const {
  if (on_device()) context.threads = 1;
  return context;
}

// The CPU takes as many rows as the caches hold with all their paths.
Index DeepChain::block_rows(Index n) const {
  constexpr Index paths_per_block = 256, fewest = 16, most = rows_per_sum, most_paths = 1 << 18;
  if (!on_device()) return std::clamp(paths_per_block / paths_.components(), fewest, most);
  double bytes = 0.0;
  for (std::size_t layer = 0; layer < layers_.size(); ++layer)
    bytes += layers_[layer]->row_bytes() * double(paths_.paths(layer));
  constexpr double usable_share = 0.8;
  const Index fitting = Index(usable_share * double(device_->free_bytes()) / bytes);
  if (fitting < std::min(n, fewest))
    throw Error(
        "The GPU has too little free memory for these layers. Use fewer inducing points, units or sites, close "
        "other programs on the GPU, or compute with device = \"cpu\".");
  return std::min({fitting, std::max<Index>(n, 1), std::max(fewest, most_paths / paths_.components())});
}

// ---- forward --------------------------------------------------------------------------------------------------------

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
  result.resize(layers_.size());
  RowMajorMatrix hidden;
  for (std::size_t layer = 0; layer < layers_.size(); ++layer) {
    const LayerState& state = state_.layers[layer];
    LayerRows& at = result[layer];
    at.kernel_inputs = inputs_of(state.kernel_inputs, layer, hidden, rows);
    at.mean_inputs = inputs_of(state.mean_inputs, layer, hidden, rows);
    at.mean.resize(at.kernel_inputs.rows(), width(layer));
    at.variance.resize(at.kernel_inputs.rows(), width(layer));
    layers_[layer]->moments(derivatives, engine, at);
    for (Index unit = 0; unit < width(layer); ++unit) {
      const UnitState& of_unit = state.units[std::size_t(unit)];
      if (at.mean_inputs.cols() > 0) at.mean.col(unit) += at.mean_inputs * of_unit.weights;
      at.mean.col(unit).array() += of_unit.constant;
    }
    if (layer + 1 < layers_.size()) hidden = values_behind(layer, at, rows);
  }
}

// ---- backward -------------------------------------------------------------------------------------------------------

ChainSums DeepChain::zero_sums() const {
  ChainSums sums;
  for (std::size_t layer = 0; layer < layers_.size(); ++layer) {
    const Index mean_inputs = state_.layers[layer].units[0].weights.size();
    sums.layers.push_back(
        {layers_[layer]->zero_sums(), MatrixXd::Zero(mean_inputs, width(layer)), VectorXd::Zero(width(layer))});
    if (layer + 1 < layers_.size()) sums.sites.emplace_back(MatrixXd::Zero(paths_.paths(layer + 1), width(layer)));
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
                        ChainSums& sums, MatrixXd* x_bar) const {
  for (std::size_t layer = layers_.size(); layer-- > 0;) {
    const MatrixXd bar = hidden_bar(layer, layers[layer], rows, mean_bar, variance_bar, sums, x_bar);
    if (layer > 0)
      through_sites(layer - 1, layers[layer - 1], rows, bar, mean_bar, variance_bar, sums.sites[layer - 1]);
  }
}

// Derivatives in the values of the layer below.
MatrixXd DeepChain::hidden_bar(std::size_t layer, LayerRows& at, const ChainRows& rows, const MatrixXd& mean_bar,
                               const MatrixXd& variance_bar, ChainSums& sums, MatrixXd* x_bar) const {
  const LayerState& state = state_.layers[layer];
  const Index below = layer > 0 ? width(layer - 1) : 0;
  const bool needed = state.kernel_inputs.hidden || (x_bar && state.kernel_inputs.rows);
  MatrixXd kernel_bar = MatrixXd::Zero(at.mean.rows(), needed ? at.kernel_inputs.cols() : 0);
  LayerSums& of_layer = sums.layers[layer];
  layers_[layer]->adjoint(at, mean_bar, variance_bar, of_layer.units, kernel_bar.cols() > 0 ? &kernel_bar : nullptr);
  if (at.mean_inputs.cols() > 0) of_layer.weights += at.mean_inputs.transpose() * mean_bar;
  of_layer.constants += mean_bar.colwise().sum().transpose();
  if (x_bar) add_to_rows(layer, rows, kernel_bar, mean_bar, *x_bar);
  MatrixXd bar = MatrixXd::Zero(at.mean.rows(), below);
  if (state.kernel_inputs.hidden) bar += kernel_bar.leftCols(below);
  if (state.mean_inputs.hidden)
    for (Index unit = 0; unit < width(layer); ++unit)
      bar += mean_bar.col(unit) * state.units[std::size_t(unit)].weights.head(below).transpose();
  return bar;
}

// The rows x come last among the inputs of a layer, and all paths share them.
void DeepChain::add_to_rows(std::size_t layer, const ChainRows& rows, const MatrixXd& kernel_bar,
                            const MatrixXd& mean_bar, MatrixXd& x_bar) const {
  const LayerState& state = state_.layers[layer];
  auto own = x_bar.middleRows(rows.first, rows.x.n);
  for (Index path = 0; path < paths_.paths(layer); ++path) {
    const Index first = path * rows.x.n;
    if (state.kernel_inputs.rows) own += kernel_bar.middleRows(first, rows.x.n).rightCols(dim_);
    if (state.mean_inputs.rows)
      for (Index unit = 0; unit < width(layer); ++unit)
        own +=
            mean_bar.col(unit).segment(first, rows.x.n) * state.units[std::size_t(unit)].weights.tail(dim_).transpose();
  }
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
  for (const LayerState& layer : state_.layers)
    for (const UnitState& unit : layer.units) sum += neargp::divergence(unit);
  return sum;
}

void DeepChain::finish(ChainSums& sums, double divergence_weight, const RunContext& context,
                       DeepState& gradient) const {
  over_parts(layers_, computing(context), [&](std::size_t layer, Index part) {
    layers_[layer]->finish(part, sums.layers[layer].units, divergence_weight, gradient.layers[layer]);
  });
  for (std::size_t layer = 0; layer < layers_.size(); ++layer)
    for (Index unit = 0; unit < width(layer); ++unit) {
      UnitState& of_unit = gradient.layers[layer].units[std::size_t(unit)];
      of_unit.weights = sums.layers[layer].weights.col(unit);
      of_unit.constant = sums.layers[layer].constants[unit];
    }
  paths_.gradient(sums.sites, gradient);
}

}  // namespace neargp
