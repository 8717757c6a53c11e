#include <doctest/doctest.h>

#include <cmath>

#include "base/error.h"
#include "brute_engine.h"
#include "geometry/neighbor_index.h"
#include "geometry/neighbors.h"
#include "geometry_fixtures.h"

using namespace neargp;

namespace {

RunContext with_engine() {
  RunContext context;
  context.neighbors = &fixtures::brute_engine();
  return context;
}

}  // namespace

TEST_CASE("an engine is asked for every search of neighbours, and the answer is the tree's") {
  const RunContext engine = with_engine(), tree;
  const fixtures::Cloud more = fixtures::uniform_cloud(40, 2, 5);
  const std::vector<int> order_more = fixtures::shuffled(40, 3);
  for (const fixtures::Cloud& cloud :
       {fixtures::uniform_cloud(150, 2), fixtures::lattice(12), fixtures::duplicated_cloud(150, 2, 30)}) {
    const Points points = cloud.view();
    const std::vector<int> order = fixtures::shuffled(int(points.n));
    const int before = fixtures::brute_searches();
    CHECK(nearest_before(points, order, 6, engine).index == nearest_before(points, order, 6, tree).index);
    CHECK(nearest_others(points, 6, engine).index == nearest_others(points, 6, tree).index);
    CHECK(nearest_to(points, more.view(), 6, engine).index == nearest_to(points, more.view(), 6, tree).index);
    CHECK(nearest_joint(points, more.view(), order_more, 6, engine).index ==
          nearest_joint(points, more.view(), order_more, 6, tree).index);
    NeighborIndex index(cloud.coords, 2);
    CHECK(index.nearest(more.view(), 6, engine).index == nearest_to(points, more.view(), 6, tree).index);
    CHECK(fixtures::brute_searches() == before + 5);
  }
}

TEST_CASE("an engine that says that it does not pay is not used") {
  const fixtures::Cloud cloud = fixtures::uniform_cloud(50, 2);
  const int before = fixtures::brute_searches();
  CHECK(nearest_others(cloud.view(), 1, with_engine()).index == nearest_others(cloud.view(), 1, RunContext{}).index);
  CHECK(fixtures::brute_searches() == before);
}

TEST_CASE("more neighbours than there are points, or none at all") {
  const fixtures::Cloud cloud = fixtures::uniform_cloud(5, 2);
  CHECK(nearest_others(cloud.view(), 7, with_engine()).index == nearest_others(cloud.view(), 7, RunContext{}).index);
  CHECK(nearest_others({cloud.coords.data(), 0, 2}, 7, with_engine()).index.empty());
}

TEST_CASE("a search by an engine refuses what the tree refuses") {
  const double coords[] = {0.0, 1.0, 2.0, std::nan("")};
  CHECK_THROWS_AS(nearest_others({coords, 4, 1}, 2, with_engine()), Error);
  CHECK_THROWS_AS(nearest_to({coords, 3, 1}, {coords, 4, 1}, 2, with_engine()), Error);
  CHECK_THROWS_AS(nearest_to({coords, 3, 1}, {coords, 1, 2}, 2, with_engine()), Error);
}
