// Neighbours of the rows by the correlation of the residual field (variational/most_correlated.h).
#pragma once

#include "geometry/neighbors.h"
#include "variational/collapsed_bound.h"

namespace neargp {

struct ResidualNeighbors {
  BoundFailure failure = BoundFailure::none;
  NeighborTable neighbors;
};

// For rows whose candidates are other rows of `coords`.
ResidualNeighbors residual_neighbors(Points coords, Points inducing, const NeighborTable& candidates, int k,
                                     const Covariance& covariance, double jitter, const RunContext& context);

}  // namespace neargp
