#include "variational/residual_rows.h"

#include <algorithm>

#include "base/memory.h"
#include "linalg/column_products.h"
#include "parallel/parallel_for.h"
#include "variational/cross_block.h"

namespace neargp {

namespace {

constexpr Index feature_chunk_rows = 256;

Index padded(Index numbers) { return (numbers + column_multiple - 1) / column_multiple * column_multiple; }

std::vector<double> in_metric(const PreparedComponent& component, Points points) {
  std::vector<double> scaled(std::size_t(points.n) * points.dim);
  for (Index i = 0; i < points.n; ++i) scale_point(component, points.dim, points[i], scaled.data() + i * points.dim);
  return scaled;
}

}  // namespace

ResidualRows::ResidualRows(const InducingFactor& factor, Points coords, const ProductEngine& engine,
                           const RunContext& context)
    : factor_(factor), coords_(coords) {
  const Index size = factor.points().size(), rows = padded(size);
  check_memory("The features of all rows", double(coords.n), double(rows));
  features_.setZero(rows, coords.n);
  unexplained_.resize(coords.n);
  for (const PreparedComponent& component : covariance().components) scaled_.push_back(in_metric(component, coords));
  // Products of other widths may round differently. Therefore the last rows are computed in a full chunk, so that their
  // number plays no part.
  parallel_for(context, (coords.n + feature_chunk_rows - 1) / feature_chunk_rows, [&](Index chunk) {
    const Index first = chunk * feature_chunk_rows, count = std::min(feature_chunk_rows, coords.n - first);
    std::vector<double> copy(std::size_t(feature_chunk_rows) * coords.dim);
    for (Index i = 0; i < feature_chunk_rows; ++i)
      std::copy_n(coords[first + std::min(i, count - 1)], coords.dim, copy.data() + i * coords.dim);
    const CrossBlock block(factor, {copy.data(), feature_chunk_rows, coords.dim}, false, engine);
    features_.block(0, first, size, count) = block.features().leftCols(count);
    unexplained_.segment(first, count) = block.unexplained().head(count);
  });
}

}  // namespace neargp
