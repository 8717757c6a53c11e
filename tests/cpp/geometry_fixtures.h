#pragma once

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <utility>
#include <vector>

#include "base/run_context.h"
#include "geometry/points.h"
#include "random/philox.h"

// Point sets of the geometry tests, and the plainest possible statement of what a search must return.
namespace fixtures {

struct Cloud {
  std::vector<double> coords;
  int dim;

  neargp::Points view() const { return {coords.data(), static_cast<neargp::Index>(coords.size()) / dim, dim}; }
};

inline Cloud uniform_cloud(int n, int dim, std::uint64_t key = 1) {
  const neargp::Philox random(key);
  Cloud cloud{std::vector<double>(static_cast<std::size_t>(n) * dim), dim};
  for (std::size_t i = 0; i < cloud.coords.size(); ++i) cloud.coords[i] = random.uniform(i);
  return cloud;
}

// side x side points with spacing 0.1, which is not a binary fraction: ties must hold all the same.
inline Cloud lattice(int side) {
  Cloud cloud{{}, 2};
  for (int i = 0; i < side; ++i)
    for (int j = 0; j < side; ++j) cloud.coords.insert(cloud.coords.end(), {0.1 * i, 0.1 * j});
  return cloud;
}

// Integer coordinates: every tie is exact.
inline Cloud integer_lattice(int side) {
  Cloud cloud{{}, 2};
  for (int i = 0; i < side; ++i)
    for (int j = 0; j < side; ++j) cloud.coords.insert(cloud.coords.end(), {double(i), double(j)});
  return cloud;
}

// n points at few distinct locations.
inline Cloud duplicated_cloud(int n, int dim, int distinct) {
  const Cloud base = uniform_cloud(distinct, dim, 5);
  const neargp::Philox random(6);
  Cloud cloud{{}, dim};
  for (int i = 0; i < n; ++i) {
    const double* x = base.view()[static_cast<neargp::Index>(random.below(i, distinct))];
    cloud.coords.insert(cloud.coords.end(), x, x + dim);
  }
  return cloud;
}

inline std::vector<int> shuffled(int n, std::uint64_t key = 9) {
  const neargp::Philox random(key);
  std::vector<int> order(n);
  std::iota(order.begin(), order.end(), 0);
  for (int i = n - 1; i > 0; --i) std::swap(order[i], order[random.below(i, i + 1)]);
  return order;
}

inline double distance2(const double* a, const double* b, int dim) {
  double sum = 0.0;
  for (int c = 0; c < dim; ++c) sum += (a[c] - b[c]) * (a[c] - b[c]);
  return sum;
}

// The k rows nearest to x among those with eligible(row), by comparing all of them; padded with -1.
template <class Eligible>
std::vector<int> brute_nearest(neargp::Points points, const double* x, int k, Eligible eligible) {
  std::vector<std::pair<double, int>> all;
  for (int row = 0; row < points.n; ++row)
    if (eligible(row)) all.push_back({distance2(points[row], x, points.dim), row});
  const int found = std::min(k, static_cast<int>(all.size()));
  std::partial_sort(all.begin(), all.begin() + found, all.end());
  std::vector<int> nearest(k, -1);
  for (int i = 0; i < found; ++i) nearest[i] = all[i].second;
  return nearest;
}

// Comparisons by brute force take rows 0, step, 2 step, ... The step is 1 unless NEARGP_FEW_COMPARISONS is set. That is
// the case under valgrind, which only checks the memory that the searches touch.
inline int comparison_step() {
  static const int step = std::getenv("NEARGP_FEW_COMPARISONS") ? 31 : 1;
  return step;
}

inline neargp::RunContext with_threads(int threads) {
  neargp::RunContext context;
  context.threads = threads;
  return context;
}

}  // namespace fixtures
