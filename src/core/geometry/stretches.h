// Stretches of ranks. An ordered search cuts the ranks at n, n/2, n/4, ..., and each stretch searches a tree of the
// points up to its end. At least half of the points in that tree precede the query. A search therefore meets few points
// that are not eligible, even in a maxmin or random ordering, where the first points are strewn thinly over the whole
// domain.
#pragma once

#include <algorithm>

#include "base/unset_vector.h"
#include "parallel/parallel_for.h"

namespace neargp {

// The first rank of the stretch that ends before rank `end`.
inline Index begin_of_stretch(Index end, Index first_rank, int k) {
  const Index smallest_stretch = std::max<Index>(1024, 4 * Index{k});
  return end < 2 * smallest_stretch ? first_rank : std::max(first_rank, end / 2);
}

// The items whose rank is below `end`, in the same order.
inline UnsetVector<int> items_before(const UnsetVector<int>& items, const UnsetVector<int>& rank_of_item, Index end,
                                     const RunContext& context) {
  const Index n = Index(items.size());
  std::vector<Index> kept((n + light_range - 1) / light_range + 1, 0);
  parallel_ranges(context, n, light_range, [&](Index first, Index last, Index range) {
    for (Index i = first; i < last; ++i) kept[range + 1] += rank_of_item[items[i]] < end;
  });
  for (std::size_t range = 1; range < kept.size(); ++range) kept[range] += kept[range - 1];
  UnsetVector<int> result(kept.back());
  parallel_ranges(context, n, light_range, [&](Index first, Index last, Index range) {
    for (Index i = first, to = kept[range]; i < last; ++i)
      if (rank_of_item[items[i]] < end) result[to++] = items[i];
  });
  return result;
}

}  // namespace neargp
