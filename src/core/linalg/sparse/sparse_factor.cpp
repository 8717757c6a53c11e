#include "linalg/sparse/sparse_factor.h"

#include "base/error.h"

namespace neargp {

std::vector<double> SparseFactor::log_pivots() const {
  throw Error("This factor does not eliminate nodes in the order of its pattern.");
}

void SparseFactor::inverse_block(const int* nodes, int count, double* block, Workspace&) const {
  const std::size_t n = std::size_t(size());
  std::vector<double> columns(n * std::size_t(count), 0.0);
  for (int i = 0; i < count; ++i) columns[std::size_t(i) * n + std::size_t(nodes[i])] = 1.0;
  solve(columns.data(), count, RunContext());
  for (int i = 0; i < count; ++i)
    for (int j = 0; j < count; ++j) block[j * count + i] = columns[std::size_t(j) * n + std::size_t(nodes[i])];
}

}  // namespace neargp
