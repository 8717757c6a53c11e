#include "latent/node_conditionals.h"

#include <utility>

#include "base/error.h"

namespace neargp {

NodeConditionals::NodeConditionals(Points nodes, Points targets, bool targets_are_nodes, NeighborTable neighbors,
                                   const RunContext& context)
    : neighbors_(std::move(neighbors)), unit_noise_(nodes.n, 1.0) {
  if (targets.dim != nodes.dim) throw Error("Nodes and targets must have the same coordinates.");
  if (neighbors_.n != targets.n) throw Error("The table of neighbours must have one row for each target.");
  check_coordinates(nodes);
  check_coordinates(targets);
  check_rows(neighbors_.index, -1, nodes.n);
  LocalTargets given(targets, neighbors_);
  if (targets_are_nodes) given.noise_scale = unit_noise_.data();
  moments_.emplace(LocalData{nodes, 0, nullptr, unit_noise_.data()}, given, ConditionalMoments::Weights::kept, context);
}

}  // namespace neargp
