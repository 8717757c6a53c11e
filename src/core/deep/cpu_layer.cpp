#include "deep/cpu_layer.h"

namespace neargp {

using Eigen::MatrixXd;

CpuLayer::CpuLayer(const DeepState& state, const LayerState& layer, bool derivatives)
    : state_(state), layer_(layer), derivatives_(derivatives), units_(layer.units.size()) {}

void CpuLayer::prepare(Index part) {
  units_[std::size_t(part)] = std::make_unique<VariationalUnit>(layer_.units[std::size_t(part)], state_.kernel,
                                                                state_.shape, state_.jitter, derivatives_);
}

std::optional<Index> CpuLayer::singular() const {
  for (std::size_t unit = 0; unit < units_.size(); ++unit)
    if (!units_[unit]->regular()) return Index(unit);
  return std::nullopt;
}

void CpuLayer::moments(bool derivatives, const ProductEngine& engine, LayerRows& at) {
  at.units.resize(units_.size());
  for (std::size_t unit = 0; unit < units_.size(); ++unit) {
    units_[unit]->rows(at.kernel_inputs, derivatives, engine, at.units[unit]);
    at.mean.col(Index(unit)) = at.units[unit].mean;
    at.variance.col(Index(unit)) = at.units[unit].variance;
  }
}

std::vector<UnitSums> CpuLayer::zero_sums() const {
  std::vector<UnitSums> sums;
  for (const auto& unit : units_) sums.push_back(unit->zero_sums());
  return sums;
}

void CpuLayer::adjoint(LayerRows& at, const MatrixXd& mean_bar, const MatrixXd& variance_bar,
                       std::vector<UnitSums>& sums, MatrixXd* kernel_inputs_bar) {
  for (std::size_t unit = 0; unit < units_.size(); ++unit)
    units_[unit]->adjoint(at.units[unit], mean_bar.col(Index(unit)), variance_bar.col(Index(unit)), sums[unit],
                          kernel_inputs_bar);
}

void CpuLayer::finish(Index part, std::vector<UnitSums>& sums, double divergence_weight, LayerState& gradient) {
  units_[std::size_t(part)]->finish(sums[std::size_t(part)], divergence_weight, gradient.units[std::size_t(part)]);
}

}  // namespace neargp
