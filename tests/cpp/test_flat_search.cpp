// Searches in five and more dimensions, whose kernels differ between instruction sets, against brute force: ties,
// repeats, lattices, and distances of many magnitudes. test_neighbors.cpp has larger clouds.
#include <doctest/doctest.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "core_fixtures.h"
#include "geometry/neighbors.h"
#include "hard_clouds.h"

using namespace neargp;
using namespace fixtures;

namespace {

using Lists = std::vector<std::vector<int>>;

// All rows for each row, the nearest first and equal distances by row.
Lists rows_by_distance(Points points) {
  Lists lists;
  for (Index i = 0; i < points.n; ++i)
    lists.push_back(brute_nearest(points, points[i], int(points.n), [](int) { return true; }));
  return lists;
}

// Rows of a table that are not the first eligible(i, j) rows j of list i.
template <class Eligible>
int count_wrong(const NeighborTable& table, const Lists& lists, const Eligible& eligible) {
  int wrong = 0;
  for (int i = 0; i < int(table.n); i += comparison_step()) {
    std::vector<int> expected;
    for (const int j : lists[i])
      if (int(expected.size()) < table.k && eligible(i, j)) expected.push_back(j);
    expected.resize(table.k, -1);
    wrong += !std::equal(expected.begin(), expected.end(), table[i]);
  }
  return wrong;
}

void check_searches(const Cloud& cloud) {
  const Points points = cloud.view();
  const int n = int(points.n);
  const Lists lists = rows_by_distance(points);
  const std::vector<int> order = shuffled(n);
  std::vector<int> rank(n);
  for (int r = 0; r < n; ++r) rank[order[r]] = r;
  with_each_instruction_set([&] {
    for (const int k : {1, 7, n - 2}) {
      CAPTURE(k);
      const RunContext context = with_threads(1);
      CHECK(count_wrong(nearest_before(points, order, k, context), lists,
                        [&](int i, int j) { return rank[j] < rank[i]; }) == 0);
      CHECK(count_wrong(nearest_others(points, k, context), lists, [](int i, int j) { return i != j; }) == 0);
      CHECK(count_wrong(nearest_to(points, points, k, context), lists, [](int, int) { return true; }) == 0);
    }
  });
}

void check_hard_clouds(int n, int dim, bool repeats) {
  for (const HardKind& kind : hard_kinds(dim)) {
    INFO(kind.name << ", " << n << " rows, dimension " << dim << ", repeats: " << repeats);
    check_searches(hard_cloud(kind, n, dim, repeats));
  }
}

}  // namespace

// Leaves are compared sixteen at a time, and 300 rows make more than sixteen.
TEST_CASE("searches in many dimensions equal brute force with ties, repeats and each instruction set") {
  check_hard_clouds(300, 5, true);
  check_hard_clouds(90, 8, false);
  check_hard_clouds(90, 8, true);
  check_hard_clouds(90, 60, true);
}
