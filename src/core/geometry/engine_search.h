// The searches of geometry/neighbors.h as requests to the engine of a context. If there is no engine, or it does not
// pay, each returns false and does nothing. The kd-tree then answers.
#pragma once

#include <vector>

#include "geometry/neighbors.h"

namespace neargp {

// Neighbours of the points with rank first_rank, first_rank + 1, ... among those before them. The row r of `points`
// belongs to the row r - first_row of `table`.
bool before_by_engine(Points points, const std::vector<int>& order, Index first_rank, Index first_row,
                      NeighborTable& table, const RunContext& context);

bool others_by_engine(Points points, NeighborTable& table, const RunContext& context);

// `finite`: whether the reference points are known to be.
bool nearest_by_engine(Points reference, Points queries, NeighborTable& table, const RunContext& context,
                       bool finite = false);

}  // namespace neargp
