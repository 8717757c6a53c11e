#pragma once

#include <vector>

#include "base/run_context.h"
#include "base/unset_vector.h"
#include "geometry/points.h"

namespace neargp {

class KdTree;
class LagOrder;

// k neighbours of each of n points: row i at index.data() + i * k, nearest first, 0-based; -1 = absent, at the end.
// Equal distances are ordered by the smaller row, so that lattices give the same table everywhere.
struct NeighborTable {
  Index n = 0;
  int k = 0;
  UnsetVector<int> index;

  NeighborTable() = default;
  // With -1 everywhere.
  NeighborTable(Index n_, int k_, const RunContext& context = RunContext());
  const int* operator[](Index i) const { return index.data() + i * k; }
  int* operator[](Index i) { return index.data() + i * k; }
};

// The k nearest among the points that come earlier in `order` (order[rank] = row). Row i of the result belongs
// to row i of `points`. With `lags`, here and below, the nearest rows are those of the largest correlation.
NeighborTable nearest_before(Points points, const std::vector<int>& order, int k, const RunContext& context,
                             const LagOrder* lags = nullptr);

// The k nearest rows of `reference` whose rank is lower than that of the query, both ranked from 0.
NeighborTable nearest_earlier(Points reference, const std::vector<int>& reference_rank, Points queries,
                              const std::vector<int>& query_rank, int k, const RunContext& context);

// The k nearest other rows. A row never is its own neighbour; other rows at the same location are.
NeighborTable nearest_others(Points points, int k, const RunContext& context, const LagOrder* lags = nullptr);

// The k rows of `reference` nearest to each query.
NeighborTable nearest_to(Points reference, Points queries, int k, const RunContext& context);
NeighborTable nearest_to(const KdTree& reference, Points queries, int k, const RunContext& context,
                         const LagOrder* lags = nullptr);

// For conditional simulation: every row of `reference` comes before every query. Query order_queries[j] may use all
// reference rows and the queries before it. The index of a query is reference.n + its row.
NeighborTable nearest_joint(Points reference, Points queries, const std::vector<int>& order_queries, int k,
                            const RunContext& context, const LagOrder* lags = nullptr);

// Throws an Error unless `order` contains each of the numbers 0 .. n-1 once.
void check_permutation(const std::vector<int>& order, Index n);

// The surface of the first coordinates of a point: two of a plane, or three of a sphere about the origin.
enum class Surface { plane, sphere };

// The `per_sector` nearest rows of `reference` in each of `sectors` equal angular sectors of the surface around the
// query, nearest first. The first sector begins at the direction of the first axis, or at east, counter-clockwise. A
// sector with fewer rows adds only these, and -1 fills the end of the row.
NeighborTable nearest_by_sector(Points reference, Points queries, Surface surface, int sectors, int per_sector,
                                const RunContext& context);
NeighborTable nearest_by_sector(const KdTree& reference, Points queries, Surface surface, int sectors, int per_sector,
                                const RunContext& context);

// Takes up to k rows of `reference`, nearest first. A row is left out if a row already taken is within `separation`
// times the row's distance from the query. The result contains all rows near the query, and far away one of each crowd.
NeighborTable nearest_thinned(const KdTree& reference, Points queries, double separation, int k,
                              const RunContext& context);

// Throw an Error where a search cannot be made.
void check_search(Points reference, Points queries, int k);
void check_sectors(Points queries, Surface surface, int sectors, int per_sector);

}  // namespace neargp
