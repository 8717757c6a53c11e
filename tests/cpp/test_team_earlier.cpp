// The search of earlier points by teams on a tree of boxes against the kd-tree's, ties and all.
#include <doctest/doctest.h>

#include "curve_engine.h"
#include "emulated_device.h"
#include "extended.h"
#include "few_cases.h"
#include "geometry/neighbors.h"
#include "geometry/ordering.h"
#include "hard_clouds.h"

using namespace neargp;
using namespace fixtures;

namespace {

// Returns whether the engine searched along the curve.
bool check_earlier(const Cloud& cloud, const std::vector<int>& order, int k) {
  CAPTURE(k);
  const Index launches = curve_launches();
  const NeighborTable expected = nearest_before(cloud.view(), order, k, with_threads(1));
  CHECK(nearest_before(cloud.view(), order, k, along_curve()).index == expected.index);
  return curve_launches() > launches;
}

void check_hard_clouds(int n, const std::vector<int>& numbers) {
  for (const int dim : {2, 3})
    for (const HardKind& kind : some_of(hard_kinds(dim)))
      for (const bool repeats : {false, true}) {
        INFO(kind.name << ", " << n << " rows, dimension " << dim << ", repeats: " << repeats);
        const Cloud cloud = hard_cloud(kind, n, dim, repeats);
        const std::vector<int> maxmin = maxmin_order(cloud.view(), with_threads(1));
        for (const int k : numbers) CHECK(check_earlier(cloud, repeats ? maxmin : shuffled(n), k) == have_curve(kind));
      }
}

}  // namespace

TEST_CASE("teams find the earlier neighbours that the tree finds") {
  const emulated::Fresh device;
  check_hard_clouds(300, {7});
  for (const int n : {1, 2, 33}) CHECK(check_earlier(uniform_cloud(n, 2), shuffled(n), 5) == (n > 1));
  CHECK_FALSE(check_earlier(uniform_cloud(50, 2), shuffled(50), 0));
  CHECK(emulated::state().living == 0);
}

TEST_CASE("teams find the earlier neighbours that the tree finds, in several stretches" * extended) {
  const emulated::Fresh device;
  check_hard_clouds(2500, {30});
}

TEST_CASE("teams of several threads find the earlier neighbours" * extended) {
  const emulated::Fresh device(2);
  CHECK(check_earlier(uniform_cloud(300, 2), shuffled(300), 7));
}

TEST_CASE("teams find the neighbours of a joint simulation") {
  const emulated::Fresh device;
  const Cloud reference = uniform_cloud(400, 2), queries = uniform_cloud(250, 2, 8);
  const NeighborTable expected = nearest_joint(reference.view(), queries.view(), shuffled(250), 9, with_threads(1));
  const Index launches = curve_launches();
  CHECK(nearest_joint(reference.view(), queries.view(), shuffled(250), 9, along_curve()).index == expected.index);
  CHECK(curve_launches() > launches);
}
