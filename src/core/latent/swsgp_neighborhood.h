// The nodes that data of swsgp() see, one rank at a time: with the chain rule the density of a datum's nodes is a
// product over ranks, that of the nearest times that of the second nearest given the nearest, and so on.
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
