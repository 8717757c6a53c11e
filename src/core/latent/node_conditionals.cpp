#include "latent/node_conditionals.h"

#include <utility>

#include "base/error.h"

namespace neargp {

NodeConditionals::NodeConditionals(Points nodes, const std::vector<double>& unit_noise, Points targets,
                                   bool targets_are_nodes, NeighborTable neighbors, const RunContext& context)
    : neighbors_(std::move(neighbors)) {
  if (targets.dim != nodes.dim) throw Error("Nodes and targets must have the same coordinates.");
  if (neighbors_.n != targets.n) throw Error("The table of neighbours must have one row for each target.");
  check_coordinates(targets);
  check_rows(neighbors_.index, -1, nodes.n);
  LocalTargets given(targets, neighbors_);
  if (targets_are_nodes) given.noise_scale = unit_noise.data();
  moments_.emplace(LocalData{nodes, 0, nullptr, unit_noise.data()}, given, ConditionalMoments::Weights::kept, context);
}

}  // namespace neargp
