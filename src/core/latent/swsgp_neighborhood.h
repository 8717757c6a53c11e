// The nodes that data of swsgp() depend on, one rank at a time. The chain rule makes the density of a datum's nodes a
// product over ranks. Its factors are the density of the nearest node, that of the second nearest given the nearest,
// and so on.
#pragma once

#include <vector>

#include "latent/projected_batch.h"

namespace neargp {

struct NeighborsOfRank {
  // Neighbours of these rows of the table, in which every row is full. `nodes` outlive the object.
  NeighborsOfRank(const NeighborTable& table, const std::vector<int>& data, int rank, Points nodes);

  // Targets, one for each datum, given its nodes of lower rank.
  ProjectionTargets targets() const { return {coords.data(), &before, noise.data()}; }

  std::vector<int> rows, nodes;  // of the targets, and the node that each is
  std::vector<double> coords, noise;
  NeighborTable before;
};

}  // namespace neargp
