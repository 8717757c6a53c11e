#include "conditional/conditionals.h"

#include <utility>

#include "base/error.h"
#include "conditional/problem.h"

namespace neargp {

Conditionals::Conditionals(Points nodes, Points targets, bool targets_are_nodes, NeighborTable neighbors,
                           const RunContext& context)
    : neighbors_(std::move(neighbors)), unit_noise_(nodes.n, 1.0) {
  if (targets.dim != nodes.dim) throw Error("Nodes and targets must have the same coordinates.");
  if (neighbors_.n != targets.n) throw Error("The table of neighbours must have one row for each target.");
  check_coordinates(nodes);
  check_coordinates(targets);
  check_rows(neighbors_.index, -1, nodes.n);
  view_.dim = nodes.dim;
  view_.k = neighbors_.k;
  view_.coords = nodes.data;
  view_.noise_scale = unit_noise_.data();
  view_.targets = targets.n;
  view_.target_coords = targets.data;
  view_.target_noise_scale = targets_are_nodes ? unit_noise_.data() : nullptr;
  view_.neighbors = neighbors_.index.data();
  device_view_.emplace(backend_of(context), view_);
  weights_.resize(std::size_t(targets.n) * neighbors_.k);
  variance_.resize(targets.n);
}

Index Conditionals::update(const PreparedCovariance& covariance, const RunContext& context) {
  return device_view_->conditional_weights(covariance, false, context, {nullptr, variance_.data(), weights_.data()});
}

std::vector<double> Conditionals::adjoint(const PreparedCovariance& covariance, const std::vector<double>& weights_bar,
                                          const std::vector<double>& variance_bar, const RunContext& context) const {
  return device_view_->conditional_adjoint(covariance, {weights_bar.data(), variance_bar.data()}, context).sums;
}

}  // namespace neargp
