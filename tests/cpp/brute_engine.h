// An engine of neighbour searches that compares each query with every point it may use.
#pragma once

#include <algorithm>
#include <vector>

#include "geometry/nearest_buffer.h"
#include "geometry/neighbor_engine.h"

namespace fixtures {

inline int& brute_searches() {
  static int count = 0;
  return count;
}

inline void brute_query(const neargp::NeighborRequest& request, neargp::Index j) {
  const neargp::Index last = request.limit ? request.limit[j] : request.reference.n;
  std::vector<neargp::Candidate> found;
  for (neargp::Index i = 0; i < last; ++i) {
    const int label = request.label ? request.label[i] : int(i);
    if (request.excluded && label == request.excluded[j]) continue;
    found.push_back({neargp::squared_distance(request.reference[i], request.queries[j], request.queries.dim), label});
  }
  std::sort(found.begin(), found.end());
  const std::size_t count = std::min(found.size(), std::size_t(request.k));
  for (std::size_t i = 0; i < count; ++i) request.index[std::size_t(j) * request.k + i] = found[i].row;
}

inline void brute_search(const neargp::NeighborRequest& request, const neargp::RunContext&) {
  ++brute_searches();
  for (neargp::Index j = 0; j < request.queries.n; ++j) brute_query(request, j);
}

// Reports that a search of one neighbour does not pay.
inline const neargp::NeighborEngine& brute_engine() {
  static const neargp::NeighborEngine engine = {
      "brute", brute_search,
      [](const neargp::NeighborRequest& request, const neargp::RunContext&) { return request.k > 1; }};
  return engine;
}

}  // namespace fixtures
