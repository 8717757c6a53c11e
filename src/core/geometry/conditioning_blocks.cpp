#include "geometry/conditioning_blocks.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "geometry/widest_coordinate.h"
#include "parallel/parallel_for.h"

namespace neargp {

namespace {

// Consecutive entries of `rank`. Ranks ascend in a block.
struct Blocks {
  std::vector<int> rank;
  std::vector<Index> first = {0};  // of each block, and the end

  Index size() const { return Index(first.size()) - 1; }
  int count(Index b) const { return int(first[b + 1] - first[b]); }
};

// Cuts ranks at medians of the widest coordinate until at most `block` are left. All blocks but one are full.
void cut(Points points, const std::vector<int>& order, int block, int* first, int* last, std::vector<int*>& ends) {
  const Index count = last - first;
  if (count <= block) {
    std::sort(first, last);
    ends.push_back(last);
    return;
  }
  const int d = widest_coordinate(points, count, 1, [&](Index i) { return order[first[i]]; });
  int* middle = first + (count + block - 1) / block / 2 * block;
  std::nth_element(first, middle, last, [&](int a, int b) {
    return std::make_pair(points[order[a]][d], a) < std::make_pair(points[order[b]][d], b);
  });
  cut(points, order, block, first, middle, ends);
  cut(points, order, block, middle, last, ends);
}

Blocks cut_into_blocks(Points points, const std::vector<int>& order, int block, int k) {
  std::vector<int> rank(order.size());
  for (std::size_t r = 0; r < rank.size(); ++r) rank[r] = int(r);
  std::vector<int*> ends;
  int* const begin = rank.data();
  for (int end = int(rank.size()), start; end > 0; end = start) {
    const bool single = end <= std::max(k, 64);
    start = single ? 0 : end / 2;
    if (!single) cut(points, order, block, begin + start, begin + end, ends);
    for (int r = start; single && r < end; ++r) ends.push_back(begin + r + 1);
  }
  std::sort(ends.begin(), ends.end());
  std::vector<std::pair<int*, int*>> by_rank;
  for (std::size_t b = 0; b < ends.size(); ++b) by_rank.emplace_back(b == 0 ? begin : ends[b - 1], ends[b]);
  std::sort(by_rank.begin(), by_rank.end(), [](const auto& a, const auto& b) { return *a.first < *b.first; });
  Blocks blocks;
  for (const auto& [first, last] : by_rank) {
    blocks.rank.insert(blocks.rank.end(), first, last);
    blocks.first.push_back(Index(blocks.rank.size()));
  }
  return blocks;
}

// The rows of a block take turns. `nearest` contains the nearest rows before each row in the order of blocks, its own
// block included.
void take_turns(const NeighborTable& nearest, const int* rows, int count, int k, int* set) {
  std::vector<int> next(count, 0);  // place in the list of nearest rows
  int taken = 0;
  const auto is_new = [&](int row) {
    return std::find(rows, rows + count, row) == rows + count && std::find(set, set + taken, row) == set + taken;
  };
  for (int before = -1; before < taken;) {
    before = taken;
    for (int i = 0; i < count && taken < k; ++i) {
      const int* list = nearest[rows[i]];
      while (next[i] < nearest.k && list[next[i]] >= 0 && !is_new(list[next[i]])) ++next[i];
      if (next[i] < nearest.k && list[next[i]] >= 0) set[taken++] = list[next[i]++];
    }
  }
}

}  // namespace

ConditioningBlocks block_neighbors(Points points, const std::vector<int>& order, int block, int k,
                                   const RunContext& context) {
  if (block < 2) throw Error("A block must have at least two rows.");
  check_permutation(order, points.n);
  const Blocks blocks = cut_into_blocks(points, order, block, k);
  std::vector<int> in_blocks(blocks.rank.size());
  for (std::size_t i = 0; i < in_blocks.size(); ++i) in_blocks[i] = order[blocks.rank[i]];
  const NeighborTable nearest = nearest_before(points, in_blocks, k + block - 1, context);

  ConditioningBlocks table{NeighborTable(blocks.size(), k + block - 1, context), std::vector<int>(blocks.size())};
  parallel_ranges(context, blocks.size(), light_range / block, [&](Index first, Index last, Index) {
    for (Index b = first; b < last; ++b) {
      const int* rows = in_blocks.data() + blocks.first[b];
      const int count = blocks.count(b);
      take_turns(nearest, rows, count, k, table.neighbors[b]);
      std::copy_n(rows, count - 1, table.neighbors[b] + k);
      table.targets[b] = rows[count - 1];
    }
  });
  return table;
}

}  // namespace neargp
