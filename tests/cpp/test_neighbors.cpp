#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/constants.h"
#include "base/error.h"
#include "extended.h"
#include "geometry/longlat.h"
#include "geometry/neighbor_index.h"
#include "geometry/neighbors.h"
#include "geometry/ordering.h"
#include "geometry_fixtures.h"
#include "hard_clouds.h"

using namespace neargp;
using namespace fixtures;

namespace {

constexpr Surface in_plane = Surface::plane;

std::vector<int> row_of(const NeighborTable& table, Index i) { return {table[i], table[i] + table.k}; }

void check_before(const Cloud& cloud, const std::vector<int>& order, int k) {
  const Points points = cloud.view();
  const NeighborTable table = nearest_before(points, order, k, with_threads(1));
  std::vector<int> rank(order.size());
  for (std::size_t r = 0; r < order.size(); ++r) rank[order[r]] = static_cast<int>(r);
  int wrong = 0;
  for (int i = 0; i < points.n; i += comparison_step())
    wrong += row_of(table, i) != brute_nearest(points, points[i], k, [&](int j) { return rank[j] < rank[i]; });
  CHECK(wrong == 0);
}

void check_others(const Cloud& cloud, int k) {
  const Points points = cloud.view();
  const NeighborTable table = nearest_others(points, k, with_threads(1));
  int wrong = 0;
  for (int i = 0; i < points.n; i += comparison_step())
    wrong += row_of(table, i) != brute_nearest(points, points[i], k, [&](int j) { return j != i; });
  CHECK(wrong == 0);
}

void check_to(const Cloud& reference, const Cloud& queries, int k) {
  const NeighborTable table = nearest_to(reference.view(), queries.view(), k, with_threads(1));
  REQUIRE(table.n == queries.view().n);
  int wrong = 0;
  for (int i = 0; i < table.n; i += comparison_step())
    wrong += row_of(table, i) != brute_nearest(reference.view(), queries.view()[i], k, [](int) { return true; });
  CHECK(wrong == 0);
}

// Queries whose neighbours are not the nearest of each sector, where `angle(row, query)` is the direction of a row.
template <class Angle>
int wrong_sectors(const NeighborTable& table, Points reference, Points queries, int sectors, int per_sector,
                  Angle angle) {
  int wrong = 0;
  for (int i = 0; i < static_cast<int>(queries.n); i += comparison_step()) {
    std::vector<int> expected, held(sectors, 0);
    const int all = static_cast<int>(reference.n);
    for (const int row : brute_nearest(reference, queries[i], all, [](int) { return true; })) {
      const double turn = angle(row, i) / (2.0 * pi);
      const int sector = std::min(static_cast<int>((turn < 0.0 ? turn + 1.0 : turn) * sectors), sectors - 1);
      if (held[sector]++ < per_sector) expected.push_back(row);
    }
    expected.resize(table.k, -1);
    wrong += row_of(table, i) != expected;
  }
  return wrong;
}

Cloud random_longlat(int n, int seed) {
  Cloud cloud = uniform_cloud(n, 2, seed);
  for (int i = 0; i < n; ++i) {
    cloud.coords[2 * i] = 360.0 * cloud.coords[2 * i] - 180.0;
    cloud.coords[2 * i + 1] = std::asin(2.0 * cloud.coords[2 * i + 1] - 1.0) * 180.0 / pi;
  }
  return cloud;
}

std::vector<int> ascending(int n) {
  std::vector<int> order(n);
  std::iota(order.begin(), order.end(), 0);
  return order;
}

}  // namespace

TEST_CASE("searches equal brute force in any dimension" * extended) {
  for (const int dim : {1, 2, 3, 4, 5, 20}) {
    CAPTURE(dim);
    const Cloud cloud = uniform_cloud(3000, dim);
    check_before(cloud, shuffled(3000), 7);
    check_others(cloud, 7);
    check_to(cloud, uniform_cloud(200, dim, 2), 7);
  }
}

TEST_CASE("searches equal brute force for any number of neighbours" * extended) {
  const Cloud cloud = uniform_cloud(2500, 2);
  for (const int k : {1, 2, 30, 150}) {
    CAPTURE(k);
    check_before(cloud, shuffled(2500), k);
    check_others(cloud, k);
  }
  const Cloud small = uniform_cloud(700, 3);
  check_before(small, shuffled(700), 300);
  check_others(small, 300);
  check_to(small, uniform_cloud(9, 3, 2), 300);
}

TEST_CASE("equal distances are ordered by row") {
  for (const Cloud& cloud : {lattice(30), integer_lattice(30)}) {
    check_before(cloud, shuffled(900), 13);
    check_before(cloud, ascending(900), 13);
    check_others(cloud, 13);
    check_to(cloud, cloud, 9);
  }
}

TEST_CASE("duplicated locations are neighbours, a row is never its own") {
  check_before(duplicated_cloud(2500, 2, 40), shuffled(2500), 10);
  check_others(duplicated_cloud(2500, 2, 40), 10);
  check_others(duplicated_cloud(500, 3, 1), 10);
}

TEST_CASE("searches equal brute force far from the origin and for clusters of very different size") {
  Cloud cloud = uniform_cloud(2000, 2);
  for (std::size_t i = 0; i < cloud.coords.size(); ++i)
    cloud.coords[i] = i % 3 ? 1e-9 * cloud.coords[i] : 1e6 + cloud.coords[i];
  check_before(cloud, shuffled(2000), 12);
  check_others(cloud, 12);
  for (double& x : cloud.coords) x *= 1e-160;
  check_others(cloud, 12);
}

TEST_CASE("an ordering that fills one region after the other is searched correctly") {
  Cloud cloud = uniform_cloud(4000, 2);
  for (int i = 0; i < 2000; ++i) cloud.coords[2 * i] += 100.0;
  check_before(cloud, ascending(4000), 11);
}

TEST_CASE("rows are padded where too few points are eligible") {
  const Cloud cloud = uniform_cloud(20, 2);
  check_before(cloud, shuffled(20), 19);
  check_before(cloud, shuffled(20), 40);
  check_others(cloud, 19);
  check_others(cloud, 40);
  check_to(cloud, uniform_cloud(7, 2, 3), 33);
  check_before(uniform_cloud(1, 3), {0}, 2);
  check_others(uniform_cloud(1, 3), 2);
  check_others(uniform_cloud(40, 3), 0);
}

TEST_CASE("no points give an empty table") {
  const Cloud none{{}, 2}, some = uniform_cloud(5, 2);
  CHECK(nearest_before(none.view(), {}, 3, with_threads(1)).index.empty());
  CHECK(nearest_others(none.view(), 3, with_threads(1)).index.empty());
  CHECK(nearest_to(some.view(), none.view(), 3, with_threads(1)).index.empty());
  CHECK(row_of(nearest_to(none.view(), some.view(), 2, with_threads(1)), 4) == std::vector<int>{-1, -1});
  CHECK(row_of(nearest_joint(none.view(), some.view(), ascending(5), 1, with_threads(1)), 0) == std::vector<int>{-1});
}

TEST_CASE("the joint search sees all reference rows and the queries before") {
  for (const int queries : {30, 3000}) {
    const Cloud reference = uniform_cloud(600, 2), query = uniform_cloud(queries, 2, 4);
    const std::vector<int> order = shuffled(queries);
    const int k = 8;
    const NeighborTable table = nearest_joint(reference.view(), query.view(), order, k, with_threads(1));
    Cloud both = reference;
    both.coords.insert(both.coords.end(), query.coords.begin(), query.coords.end());
    std::vector<int> rank(600 + queries, -1);
    for (int r = 0; r < queries; ++r) rank[600 + order[r]] = r;
    int wrong = 0;
    for (int j = 0; j < queries; j += comparison_step())
      wrong += row_of(table, j) !=
               brute_nearest(both.view(), query.view()[j], k, [&](int row) { return rank[row] < rank[600 + j]; });
    CHECK(wrong == 0);
  }
}

TEST_CASE("results do not depend on the number of threads") {
  const Cloud cloud = uniform_cloud(15000, 2);
  const std::vector<int> order = shuffled(15000);
  const NeighborTable before = nearest_before(cloud.view(), order, 10, with_threads(1));
  const NeighborTable others = nearest_others(cloud.view(), 10, with_threads(1));
  const NeighborTable to = nearest_to(cloud.view(), cloud.view(), 10, with_threads(1));
  const Cloud queries = uniform_cloud(3000, 2, 4);
  const std::vector<int> order_queries = shuffled(3000);
  const NeighborTable joint = nearest_joint(cloud.view(), queries.view(), order_queries, 10, with_threads(1));
  const NeighborTable by_sector = nearest_by_sector(cloud.view(), queries.view(), in_plane, 8, 2, with_threads(1));
  for (const int threads : {2, 4}) {
    CHECK(nearest_joint(cloud.view(), queries.view(), order_queries, 10, with_threads(threads)).index == joint.index);
    CHECK(nearest_by_sector(cloud.view(), queries.view(), in_plane, 8, 2, with_threads(threads)).index ==
          by_sector.index);
    CHECK(nearest_before(cloud.view(), order, 10, with_threads(threads)).index == before.index);
    CHECK(nearest_others(cloud.view(), 10, with_threads(threads)).index == others.index);
    CHECK(nearest_to(cloud.view(), cloud.view(), 10, with_threads(threads)).index == to.index);
  }
}

TEST_CASE("thinned neighbours are those that a walk over all points takes, and do not crowd") {
  const double separation = 0.1;
  const int k = 20;
  Cloud reference = uniform_cloud(500, 2), queries = uniform_cloud(60, 2, 11);
  const Cloud jitter = uniform_cloud(2000, 2, 5);  // four crowds
  for (Index i = 0; i < 2000; ++i)
    for (int c = 0; c < 2; ++c) reference.coords.push_back(reference.view()[i % 4][c] + 1e-4 * jitter.view()[i][c]);
  queries.coords.insert(queries.coords.end(), reference.coords.begin(), reference.coords.begin() + 2);
  const Points points = reference.view();
  NeighborIndex index(reference.coords, 2);
  const NeighborTable table = index.thinned(queries.view(), separation, k, with_threads(1));
  CHECK(index.thinned(queries.view(), separation, k, with_threads(4)).index == table.index);
  int wrong = 0;
  for (int i = 0; i < queries.view().n; ++i) {
    const double* query = queries.view()[i];
    std::vector<int> taken;
    for (const int row : brute_nearest(points, query, int(points.n), [](int) { return true; })) {
      const double limit2 = separation * separation * distance2(points[row], query, 2);
      const bool crowded = std::any_of(taken.begin(), taken.end(),
                                       [&](int other) { return distance2(points[row], points[other], 2) < limit2; });
      if (!crowded && int(taken.size()) < k) taken.push_back(row);
    }
    taken.resize(k, -1);
    wrong += row_of(table, i) != taken;
  }
  CHECK(wrong == 0);
}

TEST_CASE("sectors hold their nearest points") {
  const int sectors = 8, per_sector = 2;
  const Cloud reference = uniform_cloud(3000, 2);
  Cloud queries = uniform_cloud(300, 2, 11);
  const NeighborTable table =
      nearest_by_sector(reference.view(), queries.view(), in_plane, sectors, per_sector, with_threads(2));
  REQUIRE(table.k == sectors * per_sector);
  const auto angle = [&](int row, int i) {
    return std::atan2(reference.view()[row][1] - queries.view()[i][1], reference.view()[row][0] - queries.view()[i][0]);
  };
  CHECK(wrong_sectors(table, reference.view(), queries.view(), sectors, per_sector, angle) == 0);
}

TEST_CASE("sectors on a sphere lie between the azimuths of great circles, at the poles and across the date line, too") {
  const int sectors = 8, per_sector = 3;
  const Cloud places = random_longlat(3000, 1);
  Cloud targets = random_longlat(100, 2);
  for (const double latitude : {90.0, -90.0, 0.0}) targets.coords.insert(targets.coords.end(), {180.0, latitude});
  const Cloud reference{embed_longlat(places.view()), 3}, queries{embed_longlat(targets.view()), 3};
  const NeighborTable table =
      nearest_by_sector(reference.view(), queries.view(), Surface::sphere, sectors, per_sector, with_threads(2));
  // Counter-clockwise from east, by spherical trigonometry; at a pole longitudes are counted from 0.
  const auto angle = [&](int row, int i) {
    const double radian = pi / 180.0, *to = places.view()[row], *from = targets.view()[i];
    const double turned = (to[0] - (std::abs(from[1]) == 90.0 ? 0.0 : from[0])) * radian;
    const double lat = from[1] * radian, lat_to = to[1] * radian;
    const double north = std::cos(lat) * std::sin(lat_to) - std::sin(lat) * std::cos(lat_to) * std::cos(turned);
    return std::atan2(north, std::sin(turned) * std::cos(lat_to));
  };
  CHECK(wrong_sectors(table, reference.view(), queries.view(), sectors, per_sector, angle) == 0);
}

TEST_CASE("sectors on the far side of nothing stay short") {
  const Cloud reference = uniform_cloud(500, 2);
  const Cloud outside{{-5.0, 0.5}, 2};
  const NeighborTable table = nearest_by_sector(reference.view(), outside.view(), in_plane, 4, 3, with_threads(1));
  CHECK(table[0][0] == brute_nearest(reference.view(), outside.view()[0], 1, [](int) { return true; })[0]);
  CHECK(table[0][5] >= 0);
  CHECK(table[0][6] == -1);
}

TEST_CASE("one sector is the plain search") {
  const Cloud reference = uniform_cloud(500, 2), queries = uniform_cloud(50, 2, 3);
  CHECK(nearest_by_sector(reference.view(), queries.view(), in_plane, 1, 6, with_threads(1)).index ==
        nearest_to(reference.view(), queries.view(), 6, with_threads(1)).index);
}

TEST_CASE("bad input is refused") {
  const Cloud cloud = uniform_cloud(5, 2), other = uniform_cloud(5, 3), line = uniform_cloud(5, 1);
  CHECK_THROWS_AS(nearest_before(cloud.view(), {0, 1, 2, 3, 3}, 2, with_threads(1)), Error);
  CHECK_THROWS_AS(nearest_before(cloud.view(), {0, 1, 2}, 2, with_threads(1)), Error);
  CHECK_THROWS_AS(nearest_to(cloud.view(), other.view(), 2, with_threads(1)), Error);
  CHECK_THROWS_AS(nearest_others(cloud.view(), -1, with_threads(1)), Error);
  CHECK_THROWS_AS(nearest_by_sector(line.view(), line.view(), in_plane, 4, 1, with_threads(1)), Error);
  CHECK_THROWS_AS(nearest_by_sector(cloud.view(), cloud.view(), Surface::sphere, 4, 1, with_threads(1)), Error);
  Cloud broken = cloud;
  broken.coords[4] = std::nan("");
  CHECK_THROWS_WITH_AS(nearest_others(broken.view(), 2, with_threads(1)), "Coordinate 1 of row 3 is not finite.",
                       Error);
}

TEST_CASE("an index of the reference points gives, again and again, the neighbours found without one") {
  for (const Cloud& cloud : {uniform_cloud(700, 3), lattice(25), duplicated_cloud(300, 3, 40)}) {
    const Points points = cloud.view();
    NeighborIndex index(cloud.coords, points.dim);
    for (const int seed : {4, 5}) {
      const Cloud queries = uniform_cloud(60, points.dim, seed);
      const UnsetVector<int> nearest = nearest_to(points, queries.view(), 9, with_threads(1)).index;
      CHECK(index.nearest(queries.view(), 9, with_threads(2)).index == nearest);
      for (const int sectors : {1, 4})
        CHECK(index.by_sector(queries.view(), in_plane, sectors, 3, with_threads(1)).index ==
              nearest_by_sector(points, queries.view(), in_plane, sectors, 3, with_threads(1)).index);
      const UnsetVector<int> alone = index.nearest({queries.view()[7], 1, points.dim}, 9, with_threads(1)).index;
      CHECK(alone == UnsetVector<int>(nearest.begin() + 7 * 9, nearest.begin() + 8 * 9));
    }
  }
}

TEST_CASE("an index refuses what a search without one refuses") {
  NeighborIndex index(uniform_cloud(60, 2).coords, 2);
  const Cloud queries = uniform_cloud(10, 2, 3);
  CHECK_THROWS_AS(index.nearest(uniform_cloud(3, 3).view(), 2, with_threads(1)), Error);
  CHECK_THROWS_AS(index.nearest(queries.view(), -1, with_threads(1)), Error);
  CHECK_THROWS_AS(index.by_sector(queries.view(), in_plane, 0, 2, with_threads(1)), Error);
  CHECK_THROWS_AS(NeighborIndex({0.0, std::nan("")}, 1), Error);
  CHECK_THROWS_AS(NeighborIndex({}, 0), Error);
}

namespace {

// With eight threads and more, nearest_before() builds its trees along a curve. nearest_earlier() cuts all trees at
// medians.
void check_along_curve(const Cloud& cloud, const std::vector<int>& order, int k) {
  const Points points = cloud.view();
  std::vector<int> rank(order.size());
  for (std::size_t r = 0; r < order.size(); ++r) rank[order[r]] = int(r);
  const auto expected = nearest_earlier(points, rank, points, rank, k, with_threads(1)).index;
  for (const int threads : {1, 8}) CHECK(nearest_before(points, order, k, with_threads(threads)).index == expected);
  for (const int row : {order[1], order[order.size() / 2], order.back()}) {
    const std::vector<int> nearest =
        brute_nearest(points, points[row], k, [&](int other) { return rank[other] < rank[row]; });
    CHECK(std::equal(nearest.begin(), nearest.end(), expected.begin() + Index(row) * k));
  }
}

}  // namespace

TEST_CASE("ordered neighbours are the same by trees along a curve and by trees cut at medians") {
  for (const HardKind& kind : hard_kinds(2)) {
    INFO(kind.name);
    check_along_curve(hard_cloud(kind, 10500, 2, true), shuffled(10500), 12);
  }
  check_along_curve(uniform_cloud(40000, 3), maxmin_order(uniform_cloud(40000, 3).view(), with_threads(3)), 15);
}

TEST_CASE("ordered neighbours are the same by both trees for any order and number" * extended) {
  for (const int dim : {2, 3})
    for (const HardKind& kind : hard_kinds(dim))
      for (const bool repeats : {false, true}) {
        INFO(kind.name << ", dimension " << dim << ", repeats: " << repeats);
        const Cloud cloud = hard_cloud(kind, 30000, dim, repeats);
        for (const int k : {1, 15, 30, 60}) {
          check_along_curve(cloud, shuffled(30000), k);
          check_along_curve(cloud, maxmin_order(cloud.view(), with_threads(3)), k);
          check_along_curve(cloud, coordinate_order(cloud.view()), k);
        }
      }
}

TEST_CASE("the first row in the order that is not finite is named, by trees along a curve") {
  Cloud cloud = uniform_cloud(20000, 2);
  cloud.coords[2 * 700] = cloud.coords[2 * 19000 + 1] = HUGE_VAL;
  std::vector<int> order = shuffled(20000);
  const bool is_first = std::find(order.begin(), order.end(), 700) < std::find(order.begin(), order.end(), 19000);
  CHECK_THROWS_WITH_AS(nearest_before(cloud.view(), order, 3, with_threads(8)),
                       is_first ? "Coordinate 1 of row 701 is not finite." : "Coordinate 2 of row 19001 is not finite.",
                       Error);
}
