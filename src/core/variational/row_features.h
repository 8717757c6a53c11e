// The features of all rows under one covariance, by chunk. They are kept for searches that use them many times.
#pragma once

#include <memory>
#include <vector>

#include "base/run_context.h"
#include "variational/cross_block.h"

namespace neargp {

// If the features would take more than `most_bytes`, they are computed again each time.
class RowFeatures {
 public:
  // Factor and coordinates outlive the object.
  RowFeatures(const InducingFactor& factor, Points coords, Index chunk_rows, const RunContext& context,
              double most_bytes = 1 << 30);

  Index chunk_rows() const { return chunk_rows_; }

  // Calls body(features, unexplained) for the chunk that begins at `first`.
  template <class Body>
  void with(Index first, const Body& body) const {
    if (!kept_.empty()) return body(kept_[first / chunk_rows_]->features(), kept_[first / chunk_rows_]->unexplained());
    const std::unique_ptr<const CrossBlock> block = compute(first);
    body(block->features(), block->unexplained());
  }

 private:
  std::unique_ptr<const CrossBlock> compute(Index first) const;

  const InducingFactor& factor_;
  Points coords_;
  Index chunk_rows_;
  std::vector<std::unique_ptr<const CrossBlock>> kept_;
};

}  // namespace neargp
