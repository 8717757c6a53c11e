// A table of neighbours the other way round: for each row those that it is a neighbour of.
#pragma once

#include <vector>

#include "geometry/neighbors.h"

namespace neargp {

class NeighborUsers {
 public:
  explicit NeighborUsers(const NeighborTable& neighbors);

  // action(user, place): row j is at this place among the user's neighbours. In the order of users.
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

// The number of neighbours in a row of a table, of which those that are absent come last.
int neighbor_count(const NeighborTable& neighbors, Index row);

}  // namespace neargp
