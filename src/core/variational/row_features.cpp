#include "variational/row_features.h"

#include <algorithm>

#include "parallel/parallel_for.h"

namespace neargp {

RowFeatures::RowFeatures(const InducingFactor& factor, Points coords, Index chunk_rows, const RunContext& context,
                         double most_bytes)
    : factor_(factor), coords_(coords), chunk_rows_(chunk_rows) {
  if (double(coords.n) * double(factor.points().size()) * sizeof(double) > most_bytes) return;
  kept_.resize(std::size_t((coords.n + chunk_rows - 1) / chunk_rows));
  parallel_for(context, Index(kept_.size()), [&](Index chunk) { kept_[chunk] = compute(chunk * chunk_rows); });
}

std::unique_ptr<const CrossBlock> RowFeatures::compute(Index first) const {
  const Index n = std::min(chunk_rows_, coords_.n - first);
  return std::make_unique<const CrossBlock>(factor_, Points{coords_[first], n, coords_.dim}, false);
}

}  // namespace neargp
