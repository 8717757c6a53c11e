#include <algorithm>
#include <cmath>

#include "../base/error.h"
#include "../base/parallel_for.h"
#include "kd_tree.h"
#include "neighbors.h"

namespace neargp {
namespace {

// How far a search goes, in multiples of the points wanted. Most queries lie amid the reference points and are
// done after the first; only the others, beside gaps, go on.
constexpr int search_factors[] = {4, 32};

// Bounds the memory of the intermediate tables.
constexpr Index queries_per_slice = 1 << 14;

int sector_of(const double* from, const double* to, int sectors) {
  const double full_turn = 6.283185307179586476925286766559;
  double angle = std::atan2(to[1] - from[1], to[0] - from[0]);
  if (angle < 0.0) angle += full_turn;
  return std::min(static_cast<int>(angle / full_turn * sectors), sectors - 1);
}

// Takes the first per_sector of each sector from `nearest` (k rows, nearest first, -1 at the end) and says whether
// every sector is full.
bool pick(Points reference, const double* query, const int* nearest, int k, int sectors, int per_sector, int* result) {
  std::vector<int> held(sectors, 0);
  int picked = 0;
  std::fill_n(result, sectors * per_sector, -1);
  for (int i = 0; i < k && nearest[i] >= 0; ++i) {
    int& in_sector = held[sector_of(query, reference[nearest[i]], sectors)];
    if (in_sector == per_sector) continue;
    ++in_sector;
    result[picked++] = nearest[i];
  }
  return picked == sectors * per_sector;
}

// Answers the queries in `rows`; returns those with a sector that is not full.
std::vector<int> search_slice(Points reference, const KdTree& tree, Points queries, const std::vector<int>& rows, int k,
                              int sectors, int per_sector, NeighborTable& table, const RunContext& context) {
  std::vector<double> coords;
  for (const int row : rows) coords.insert(coords.end(), queries[row], queries[row] + queries.dim);
  const Points slice = {coords.data(), static_cast<Index>(rows.size()), queries.dim};
  const NeighborTable nearest = nearest_to(tree, slice, k, context);
  std::vector<int> open;
  for (Index i = 0; i < slice.n; ++i)
    if (!pick(reference, slice[i], nearest[i], k, sectors, per_sector, table[rows[i]])) open.push_back(rows[i]);
  return open;
}

}  // namespace

NeighborTable nearest_by_sector(Points reference, Points queries, int sectors, int per_sector,
                                const RunContext& context) {
  if (sectors < 1 || per_sector < 1) throw Error("Sectors and points per sector must be positive.");
  if (sectors > 1 && queries.dim < 2) throw Error("Sectors need at least two coordinates.");
  NeighborTable table(queries.n, sectors * per_sector);
  const KdTree tree(reference, context);
  std::vector<int> open = KdTree(queries, context).leaf_order();
  for (const int factor : search_factors) {
    const int k = factor * sectors * per_sector;
    std::vector<int> still_open;
    for (std::size_t first = 0; first < open.size(); first += queries_per_slice) {
      const std::size_t last = std::min<std::size_t>(open.size(), first + queries_per_slice);
      const std::vector<int> slice(open.begin() + first, open.begin() + last);
      const std::vector<int> left =
          search_slice(reference, tree, queries, slice, k, sectors, per_sector, table, context);
      still_open.insert(still_open.end(), left.begin(), left.end());
    }
    open = still_open;
  }
  return table;
}

}  // namespace neargp
