#pragma once

#include <cstdint>
#include <vector>

#include "base/run_context.h"
#include "geometry/points.h"

namespace neargp {

// Orderings: order[rank] = row. Ties are broken by the smaller row, so that they are reproducible on lattices.

// Farthest-point sampling: the first row is nearest to the centroid, every next one is farthest from all rows chosen
// before. The result is exact. Rows at a location already chosen come last, in row order. `distance2` receives, by
// rank, the squared distance of each row to those before it, which never rises. It is infinity for the first row.
std::vector<int> maxmin_order(Points points, const RunContext& context, std::vector<double>* distance2 = nullptr);

// A uniformly random permutation of n rows, a function of the key alone.
std::vector<int> random_order(Index n, std::uint64_t key);

// Orders by the first coordinate, ties by the next ones.
std::vector<int> coordinate_order(Points points);

// Leaf order of a kd-tree: rows close in space are close in the list, for memory locality.
std::vector<int> spatial_order(Points points, const RunContext& context);

}  // namespace neargp
