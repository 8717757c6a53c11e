// Sums over rows, in chunks on several threads, the same for any number of them.
#pragma once

#include <algorithm>
#include <vector>

#include "parallel/parallel_for.h"

namespace neargp {

// body(first, last, sum) adds the rows first .. last-1 to a sum of its own; Sum has add(const Sum&). Chunks are dealt
// in turn to a number of sums that depends on `n` and on how large a sum is alone, and these are added in their
// order.
template <class Sum, class Body>
Sum sum_rows(Index n, Index chunk_rows, Index doubles_per_sum, const RunContext& context, const Sum& zero,
             const Body& body) {
  constexpr Index doubles_of_sums = Index(1) << 24, fewest = 4, most = 16;
  const Index chunks = (n + chunk_rows - 1) / chunk_rows;
  const Index count = std::min(chunks, std::clamp(doubles_of_sums / std::max<Index>(doubles_per_sum, 1), fewest, most));
  std::vector<Sum> sums(std::size_t(count), zero);
  for (Index round = 0; round < chunks; round += count)
    parallel_for(context, std::min(count, chunks - round), [&](Index s) {
      const Index first = (round + s) * chunk_rows;
      body(first, std::min(first + chunk_rows, n), sums[s]);
    });
  Sum total = zero;
  for (const Sum& sum : sums) total.add(sum);
  return total;
}

}  // namespace neargp
