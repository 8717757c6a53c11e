#include "latent/mean_field_batches.h"

#include <algorithm>

namespace neargp {

namespace {

// Ascending rows are close in memory.
std::vector<int> sorted(std::vector<int> rows) {
  std::sort(rows.begin(), rows.end());
  return rows;
}

}  // namespace

MeanFieldBatches::MeanFieldBatches(const MeanField& bound, Index batch_size, std::uint64_t key)
    : bound_(bound), nodes_(bound.nodes(), key, 0), data_(bound.data(), key, 1) {
  const Index rows = bound.interpolates() ? bound.data() : bound.nodes();
  batch_size_ = std::min(batch_size, rows);
  steps_ = (rows + batch_size_ - 1) / batch_size_;
  node_share_ = (bound.nodes() + steps_ - 1) / steps_;
}

MeanFieldBatch MeanFieldBatches::next() {
  if (!bound_.interpolates()) return bound_.at_nodes(sorted(nodes_.next(batch_size_)));
  std::vector<int> nodes = sorted(nodes_.next(node_share_));
  return bound_.batch_of(std::move(nodes), sorted(data_.next(batch_size_)));
}

}  // namespace neargp
