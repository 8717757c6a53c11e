#include "geometry/ordering.h"

#include <algorithm>
#include <numeric>

#include "geometry/kd_tree.h"
#include "random/philox.h"

namespace neargp {
namespace {

std::vector<int> row_order(Index n) {
  std::vector<int> order(n);
  std::iota(order.begin(), order.end(), 0);
  return order;
}

}  // namespace

// Fisher and Yates' shuffle: position i is exchanged with a uniform one of 0, ..., i.
std::vector<int> random_order(Index n, std::uint64_t key) {
  const Philox random(key);
  std::vector<int> order = row_order(n);
  for (Index i = n - 1; i > 0; --i) std::swap(order[i], order[random.below(std::uint64_t(i), std::uint64_t(i) + 1)]);
  return order;
}

std::vector<int> coordinate_order(Points points) {
  std::vector<int> order = row_order(points.n);
  std::sort(order.begin(), order.end(), [points](int a, int b) {
    const double *x = points[a], *y = points[b];
    for (int c = 0; c < points.dim; ++c)
      if (x[c] != y[c]) return x[c] < y[c];
    return a < b;
  });
  return order;
}

std::vector<int> spatial_order(Points points, const RunContext& context) {
  return KdTree(points, context).leaf_order();
}

}  // namespace neargp
