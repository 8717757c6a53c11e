// The searches of geometry/neighbors.h, and the maxmin order, as requests to the engine of a context. If there is no
// engine, or it does not pay, each returns false and does nothing. The CPU's own search then answers.
#pragma once

#include <vector>

#include "geometry/maxmin.h"
#include "geometry/neighbors.h"

namespace neargp {

// Returns whether the engine of a context computes along a curve (CurveEngine) and this pays. `k`: 0 for an order.
// Throws an Error unless all coordinates are finite.
bool has_curve_engine(Points points, int k, const RunContext& context);

// Neighbours of the points with rank first_rank, first_rank + 1, ... among those before them. The row r of `points`
// belongs to the row r - first_row of `table`.
bool before_by_engine(Points points, const std::vector<int>& order, Index first_rank, Index first_row,
                      NeighborTable& table, const RunContext& context);

bool others_by_engine(Points points, NeighborTable& table, const RunContext& context);

// `finite`: whether the reference points are known to be.
bool nearest_by_engine(Points reference, Points queries, NeighborTable& table, const RunContext& context,
                       bool finite = false);

// The maxmin order, as maxmin_by_tournament() returns it.
bool maxmin_by_engine(Points points, RankedRows& order, const RunContext& context);

}  // namespace neargp
