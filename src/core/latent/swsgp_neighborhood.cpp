#include "latent/swsgp_neighborhood.h"

#include <algorithm>
#include <numeric>

namespace neargp {

NeighborsOfRank::NeighborsOfRank(const NeighborTable& table, const std::vector<int>& data, int rank, Points at)
    : rows(data.size()), noise(data.size(), 1.0), before(Index(data.size()), std::max(rank, 1)) {
  std::iota(rows.begin(), rows.end(), 0);
  nodes.reserve(data.size());
  coords.reserve(data.size() * at.dim);
  for (std::size_t t = 0; t < data.size(); ++t) {
    const int* members = table[data[t]];
    nodes.push_back(members[rank]);
    coords.insert(coords.end(), at[members[rank]], at[members[rank]] + at.dim);
    if (rank == 0) {
      before[Index(t)][0] = -1;
    } else {
      std::copy(members, members + rank, before[Index(t)]);
    }
  }
}

}  // namespace neargp
