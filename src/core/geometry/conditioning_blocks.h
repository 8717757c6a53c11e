// Blocks of rows that share one conditioning set and condition on each other. One factorisation then serves all rows of
// a block.
#pragma once

#include <vector>

#include "base/run_context.h"
#include "geometry/neighbors.h"

namespace neargp {

struct ConditioningBlocks {
  // A row for each block: its k neighbours, and then the rows of the block but the last one by rank. -1 where there are
  // fewer.
  NeighborTable neighbors;
  std::vector<int> targets;  // the last row of each block
};

// Blocks of at most `block` rows. Stretches of ranks are the last half, the quarter before it, and on. In each of them
// the leaves of a tree of medians are blocks. Their order is that of their lowest rank. The first rows, at most k or
// 64, are blocks of their own. The k neighbours of a block come from the blocks before it. Its rows take turns: each
// adds its nearest row that is not among them yet.
ConditioningBlocks block_neighbors(Points points, const std::vector<int>& order, int block, int k,
                                   const RunContext& context);

}  // namespace neargp
