// The inverse of a table of neighbours: for each row, the rows that it is a neighbour of.
#pragma once

#include <vector>

#include "geometry/neighbors.h"

namespace neargp {

class NeighborUsers {
 public:
  explicit NeighborUsers(const NeighborTable& neighbors);

  // Calls `action(user, place)` for each user of row j, in their order. Row j is number `place` of the user's
  // neighbours.
  template <class Action>
  void for_each(Index j, const Action& action) const {
    for (Index u = first_[j]; u < first_[j + 1]; ++u) action(uses_[u].row, uses_[u].place);
  }

 private:
  struct Use {
    int row, place;
  };
  std::vector<Index> first_;
  std::vector<Use> uses_;
};

// The number of neighbours in a row of a table, where absent neighbours come last.
int neighbor_count(const NeighborTable& neighbors, Index row);

}  // namespace neargp
