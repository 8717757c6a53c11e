#include "geometry/neighbor_index.h"

#include <utility>

#include "base/error.h"
#include "geometry/engine_search.h"

namespace neargp {

NeighborIndex::NeighborIndex(std::vector<double> coords, int dim) : coords_(std::move(coords)), dim_(dim) {
  if (dim_ < 1) throw Error("Points need at least one coordinate.");
  check_finite(reference(), RunContext());
}

NeighborTable NeighborIndex::nearest(Points queries, int k, const RunContext& context, const LagOrder* lags) {
  check_search(reference(), queries, k);
  NeighborTable table(queries.n, k);
  if (!lags && nearest_by_engine(reference(), queries, table, context, true)) return table;
  return nearest_to(tree(context), queries, k, context, lags);
}

NeighborTable NeighborIndex::by_sector(Points queries, Surface surface, int sectors, int per_sector,
                                       const RunContext& context) {
  check_sectors(queries, surface, sectors, per_sector);
  if (sectors == 1) return nearest(queries, per_sector, context);
  return nearest_by_sector(tree(context), queries, surface, sectors, per_sector, context);
}

NeighborTable NeighborIndex::thinned(Points queries, double separation, int k, const RunContext& context) {
  check_search(reference(), queries, k);
  return nearest_thinned(tree(context), queries, separation, k, context);
}

const KdTree& NeighborIndex::tree(const RunContext& context) {
  if (!tree_) tree_.emplace(reference(), context);
  return *tree_;
}

}  // namespace neargp
