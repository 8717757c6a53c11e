#pragma once

#include <algorithm>
#include <vector>

#include "geometry/kd_tree.h"
#include "geometry/neighbors.h"
#include "parallel/parallel_for.h"

namespace neargp {

// Returns a table of k neighbours of each query. `make_search()` returns a search for one thread, whose
// run(query, result) fills a row of the table. Queries come in the order of a kd-tree's leaves, so that a query visits
// the nodes that the query before it has visited.
template <class MakeSearch>
NeighborTable search_in_leaf_order(Points queries, int k, const MakeSearch& make_search, const RunContext& context) {
  NeighborTable table(queries.n, k);
  const std::vector<int> order = KdTree(queries, context).leaf_order();
  constexpr Index chunk_size = 32;
  const Index n = queries.n;
  parallel_for(context, (n + chunk_size - 1) / chunk_size, [&](Index chunk) {
    auto search = make_search();
    for (Index i = chunk * chunk_size; i < std::min(n, (chunk + 1) * chunk_size); ++i)
      search.run(queries[order[i]], table[order[i]]);
  });
  return table;
}

}  // namespace neargp
