#include "variational/neighbor_users.h"

#include <algorithm>

namespace neargp {

NeighborUsers::NeighborUsers(const NeighborTable& neighbors) : first_(std::size_t(neighbors.n) + 1, 0) {
  for (const int row : neighbors.index)
    if (row >= 0) ++first_[row + 1];
  for (Index j = 0; j < neighbors.n; ++j) first_[j + 1] += first_[j];
  uses_.resize(std::size_t(first_.back()));
  std::vector<Index> next(first_.begin(), first_.end() - 1);
  for (Index i = 0; i < neighbors.n; ++i)
    for (int a = 0; a < neighbor_count(neighbors, i); ++a) uses_[next[neighbors[i][a]]++] = {int(i), a};
}

int neighbor_count(const NeighborTable& neighbors, Index row) {
  const int* from = neighbors[row];
  return int(std::find(from, from + neighbors.k, -1) - from);
}

}  // namespace neargp
