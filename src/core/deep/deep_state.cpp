#include "deep/deep_state.h"

#include <algorithm>
#include <cmath>

namespace neargp {

namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

void add_unit(UnitState& unit, std::vector<ParameterBlock>& blocks) {
  const auto add = [&](auto& values, bool logarithmic) {
    blocks.push_back({values.data(), values.size(), logarithmic});
  };
  add(unit.positions, false);
  add(unit.mean, false);
  add(unit.sd, true);
  for (Index j = 0; j < unit.factor.cols(); ++j) {
    blocks.push_back({&unit.factor(j, j), 1, true});
    blocks.push_back({&unit.factor(j, j) + 1, unit.factor.rows() - j - 1, false});
  }
  blocks.push_back({&unit.variance, 1, true});
  add(unit.range, true);
  add(unit.weights, false);
  blocks.push_back({&unit.constant, 1, false});
}

}  // namespace

std::vector<ParameterBlock> learned_parameters(DeepState& state) {
  std::vector<ParameterBlock> blocks;
  for (LayerState& layer : state.layers)
    for (UnitState& unit : layer.units) add_unit(unit, blocks);
  if (state.learns_sites()) {
    for (MatrixXd& sites : state.sites) blocks.push_back({sites.data(), sites.size(), false});
    blocks.push_back({state.log_weights.data(), state.log_weights.size(), false});
  }
  if (!state.mixed())
    blocks.push_back({state.likelihood.parameters.data(), Index(state.likelihood.parameters.size()), true});
  blocks.push_back({state.mixing.data(), state.mixing.size(), false});
  blocks.push_back({state.output_noise.data(), state.output_noise.size(), true});
  blocks.push_back({state.trend.data(), state.trend.size(), false});
  if (state.network) blocks.push_back({state.network->weights.data(), Index(state.network->weights.size()), false});
  return blocks;
}

DeepState zero_gradient(const DeepState& state) {
  DeepState zero = state;
  for (LayerState& layer : zero.layers)
    for (UnitState& unit : layer.units) {
      for (auto* values : {&unit.mean, &unit.sd, &unit.range, &unit.weights}) values->setZero();
      unit.positions.setZero();
      unit.factor.setZero();
      unit.variance = unit.constant = 0.0;
    }
  for (MatrixXd& sites : zero.sites) sites.setZero();
  zero.log_weights.setZero();
  for (double& parameter : zero.likelihood.parameters) parameter = 0.0;
  zero.mixing.setZero();
  zero.output_noise.setZero();
  zero.trend.setZero();
  if (zero.network) std::fill(zero.network->weights.begin(), zero.network->weights.end(), 0.0);
  return zero;
}

namespace {

Index count(const std::vector<ParameterBlock>& blocks) {
  Index total = 0;
  for (const ParameterBlock& block : blocks) total += block.size;
  return total;
}

VectorXd gathered(const std::vector<ParameterBlock>& blocks, bool logarithms) {
  VectorXd working(count(blocks));
  Index at = 0;
  for (const ParameterBlock& block : blocks)
    for (Index i = 0; i < block.size; ++i)
      working[at++] = logarithms && block.logarithmic ? std::log(block.data[i]) : block.data[i];
  return working;
}

}  // namespace

VectorXd to_working(DeepState& state) { return gathered(learned_parameters(state), true); }

VectorXd as_working(DeepState& gradient) { return gathered(learned_parameters(gradient), false); }

void from_working(const VectorXd& working, DeepState& state) {
  Index at = 0;
  for (const ParameterBlock& block : learned_parameters(state))
    for (Index i = 0; i < block.size; ++i, ++at)
      block.data[i] = block.logarithmic ? std::exp(working[at]) : working[at];
}

}  // namespace neargp
