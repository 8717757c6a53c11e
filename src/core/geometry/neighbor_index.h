// Points indexed once for many searches: the tables of nearest_to(), nearest_by_sector() and
// nearest_thinned() with the same reference.
#pragma once

#include <optional>
#include <vector>

#include "geometry/kd_tree.h"
#include "geometry/neighbors.h"

namespace neargp {

class NeighborIndex {
 public:
  // Row-major coordinates of the reference points. Throws an Error unless all are finite.
  NeighborIndex(std::vector<double> coords, int dim);

  Points reference() const { return {coords_.data(), Index(coords_.size()) / dim_, dim_}; }

  // The tree is built by the first search that an engine does not answer, so that an index belongs to one thread.
  NeighborTable nearest(Points queries, int k, const RunContext& context, const LagOrder* lags = nullptr);
  NeighborTable by_sector(Points queries, Surface surface, int sectors, int per_sector, const RunContext& context);
  NeighborTable thinned(Points queries, double separation, int k, const RunContext& context);

 private:
  const KdTree& tree(const RunContext& context);

  std::vector<double> coords_;
  int dim_;
  std::optional<KdTree> tree_;
};

}  // namespace neargp
