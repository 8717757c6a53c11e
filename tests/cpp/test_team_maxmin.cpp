// The maxmin order by teams against the tournament's, which test_ordering.cpp compares with the definition.
#include <doctest/doctest.h>

#include <limits>

#include "base/error.h"
#include "curve_engine.h"
#include "emulated_device.h"
#include "extended.h"
#include "few_cases.h"
#include "geometry/engine_search.h"
#include "geometry/maxmin.h"
#include "geometry/ordering.h"
#include "hard_clouds.h"

using namespace neargp;
using namespace fixtures;

namespace {

// Returns whether the engine made the order.
bool check_order(const Cloud& cloud) {
  const RankedRows expected = maxmin_by_tournament(cloud.view(), with_threads(1));
  RankedRows order;
  if (!maxmin_by_engine(cloud.view(), order, along_curve())) return false;
  REQUIRE(order.size() == expected.size());
  for (std::size_t rank = 0; rank < order.size(); ++rank) {
    REQUIRE(order[rank].row == expected[rank].row);
    REQUIRE(order[rank].distance2 == expected[rank].distance2);
  }
  return true;
}

void check_hard_clouds(const std::vector<int>& sizes, const std::vector<int>& dims = {2, 3}) {
  for (const int dim : dims)
    for (const HardKind& kind : some_of(hard_kinds(dim)))
      for (const int n : sizes)
        for (const bool repeats : {false, true}) {
          INFO(kind.name << ", " << n << " rows, dimension " << dim << ", repeats: " << repeats);
          const bool is_ordered = check_order(hard_cloud(kind, n, dim, repeats));
          if (n > 9) CHECK(is_ordered == have_curve(kind));
        }
}

}  // namespace

TEST_CASE("teams choose the rows of the tournament, at the same distances") {
  const emulated::Fresh device;
  check_hard_clouds({1, 2, 3, 9, 17, 64, 257});
  CHECK(emulated::state().living == 0);
}

TEST_CASE("teams choose the rows of the tournament in trees of several levels" * extended) {
  const emulated::Fresh device;
  check_hard_clouds({2000});
  for (const int dim : {2, 3}) CHECK(check_order(uniform_cloud(9000, dim)));
  CHECK(check_order(lattice(95)));
}

TEST_CASE("teams of several threads choose the rows of the tournament" * extended) {
  const emulated::Fresh device(2);
  check_hard_clouds({40}, {2});
  CHECK(check_order(uniform_cloud(400, 3)));
}

// Leaves prevent each other for thousands of rounds.
TEST_CASE("the tournament goes on with the rows that teams leave" * extended) {
  const emulated::Fresh device;
  for (const HardKind& kind : hard_kinds(2))
    if (kind.name == "far clusters") {
      const Cloud cloud = hard_cloud(kind, 20000, 2);
      CHECK(check_order(cloud));
      CHECK(emulated::state().launches < 20000);
    }
}

TEST_CASE("the order of a context with a device is that of the CPU, and so are its errors" * extended) {
  const emulated::Fresh device;
  Cloud cloud = uniform_cloud(20000, 2);
  const NeighborEngine engine = emulated::DeviceSearch::engine("emulated");
  RunContext context;
  context.neighbors = &engine;
  std::vector<double> distance2, same_distance2;
  const std::vector<int> order = maxmin_order(cloud.view(), with_threads(1), &distance2);
  CHECK(maxmin_order(cloud.view(), context, &same_distance2) == order);
  CHECK(same_distance2 == distance2);
  CHECK(emulated::state().launches > 0);
  cloud.coords[2 * 300] = std::numeric_limits<double>::infinity();
  CHECK_THROWS_WITH_AS(maxmin_order(cloud.view(), context), "Coordinate 1 of row 301 is not finite.", Error);
}

TEST_CASE("an interrupt ends a maxmin order by teams") {
  const emulated::Fresh device;
  RunContext context = along_curve();
  context.check_interrupt = [] { throw Error("Interrupted."); };
  RankedRows order;
  CHECK_THROWS_WITH_AS(maxmin_by_engine(uniform_cloud(100, 2).view(), order, context), "Interrupted.", Error);
  CHECK(emulated::state().living == 0);
}
