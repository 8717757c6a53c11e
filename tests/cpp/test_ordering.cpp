#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "geometry/neighbors.h"
#include "geometry/ordering.h"
#include "geometry_fixtures.h"

using namespace neargp;
using namespace fixtures;

namespace {

int brute_first(Points points) {
  std::vector<double> centroid(points.dim, 0.0);
  for (Index i = 0; i < points.n; ++i)
    for (int c = 0; c < points.dim; ++c) centroid[c] += points[i][c];
  for (double& x : centroid) x /= static_cast<double>(points.n);
  return brute_nearest(points, centroid.data(), 1, [](int) { return true; })[0];
}

// Each product and each sum is rounded, whatever the flags of the compiler say.
double rounded_distance2(const double* a, const double* b, int dim) {
  volatile double sum = 0.0;
  for (int c = 0; c < dim; ++c) {
    const volatile double square = (a[c] - b[c]) * (a[c] - b[c]);
    sum = sum + square;
  }
  return sum;
}

std::vector<int> brute_maxmin(Points points, double (*distance2)(const double*, const double*, int)) {
  const double chosen = -1.0;
  std::vector<double> nearest(points.n, std::numeric_limits<double>::infinity());
  std::vector<int> order = {brute_first(points)};
  while (true) {
    nearest[order.back()] = chosen;
    for (Index i = 0; i < points.n; ++i)
      nearest[i] = std::min(nearest[i], distance2(points[i], points[order.back()], points.dim));
    const auto farthest = std::max_element(nearest.begin(), nearest.end());  // the first of equals
    if (*farthest == chosen) return order;
    order.push_back(static_cast<int>(farthest - nearest.begin()));
  }
}

std::vector<int> rows_from_zero(int n) {
  std::vector<int> rows(n);
  std::iota(rows.begin(), rows.end(), 0);
  return rows;
}

bool is_permutation_of_rows(std::vector<int> order) {
  std::sort(order.begin(), order.end());
  for (std::size_t i = 0; i < order.size(); ++i)
    if (order[i] != static_cast<int>(i)) return false;
  return true;
}

void check_maxmin(const Cloud& cloud) {
  CHECK(maxmin_order(cloud.view(), with_threads(1)) == brute_maxmin(cloud.view(), fixtures::distance2));
}

// A lattice that is turned: distances that are equal in exact arithmetic differ by their rounding, and that decides.
Cloud turned_lattice(int side, double angle) {
  Cloud cloud{{}, 2};
  for (int i = 0; i < side; ++i)
    for (int j = 0; j < side; ++j) {
      const double x = 0.1 * i * std::cos(angle), y = 0.1 * j * std::cos(angle);
      cloud.coords.insert(cloud.coords.end(), {x - 0.1 * j * std::sin(angle), y + 0.1 * i * std::sin(angle)});
    }
  return cloud;
}

}  // namespace

TEST_CASE("maxmin is exact farthest-point sampling in any dimension") {
  for (const int dim : {1, 2, 3, 4, 5, 20}) {
    CAPTURE(dim);
    check_maxmin(uniform_cloud(2000, dim));
  }
}

TEST_CASE("maxmin breaks ties by row on lattices") {
  check_maxmin(integer_lattice(40));
  check_maxmin(lattice(40));
}

TEST_CASE("orders and neighbours are those of distances whose products and sums are rounded one by one") {
  for (const double angle : {0.0, 0.1, 0.7}) {
    CAPTURE(angle);
    const Cloud cloud = turned_lattice(25, angle);
    const Points points = cloud.view();
    CHECK(maxmin_order(points, with_threads(1)) == brute_maxmin(points, rounded_distance2));
    const NeighborTable others = nearest_others(points, 6, with_threads(1));
    for (int row = 0; row < points.n; ++row) {
      std::vector<std::pair<double, int>> all;
      for (int other = 0; other < points.n; ++other)
        if (other != row) all.push_back({rounded_distance2(points[other], points[row], 2), other});
      std::sort(all.begin(), all.end());
      for (int i = 0; i < 6; ++i) REQUIRE(others[row][i] == all[i].second);
    }
  }
}

TEST_CASE("maxmin puts repeated locations last, in row order") {
  const Cloud cloud = duplicated_cloud(1000, 2, 30);
  const std::vector<int> order = maxmin_order(cloud.view(), with_threads(1));
  CHECK(order == brute_maxmin(cloud.view(), fixtures::distance2));
  CHECK(std::is_sorted(order.begin() + 30, order.end()));
  CHECK(maxmin_order(duplicated_cloud(100, 3, 1).view(), with_threads(1)) == rows_from_zero(100));
}

TEST_CASE("maxmin tells the squared distance of each row to those before it") {
  const Cloud cloud = uniform_cloud(300, 3);
  std::vector<double> distance2;
  const std::vector<int> order = maxmin_order(cloud.view(), with_threads(1), &distance2);
  CHECK(order == maxmin_order(cloud.view(), with_threads(1)));
  CHECK(std::isinf(distance2[0]));
  for (std::size_t rank = 1; rank < order.size(); ++rank) {
    double nearest = std::numeric_limits<double>::infinity();
    for (std::size_t earlier = 0; earlier < rank; ++earlier)
      nearest = std::min(nearest, squared_distance(cloud.view()[order[rank]], cloud.view()[order[earlier]], 3));
    CHECK(distance2[rank] == nearest);
  }
}

TEST_CASE("maxmin of none and of one point") {
  CHECK(maxmin_order(Cloud{{}, 2}.view(), with_threads(1)).empty());
  CHECK(maxmin_order(uniform_cloud(1, 2).view(), with_threads(1)) == std::vector<int>{0});
  check_maxmin(uniform_cloud(17, 2));
}

TEST_CASE("orderings do not depend on the number of threads") {
  const Cloud cloud = uniform_cloud(40000, 2);
  const std::vector<int> maxmin = maxmin_order(cloud.view(), with_threads(1));
  const std::vector<int> spatial = spatial_order(cloud.view(), with_threads(1));
  for (const int threads : {2, 4}) {
    CHECK(maxmin_order(cloud.view(), with_threads(threads)) == maxmin);
    CHECK(spatial_order(cloud.view(), with_threads(threads)) == spatial);
  }
}

TEST_CASE("every ordering is a permutation of the rows") {
  const Cloud cloud = duplicated_cloud(3000, 3, 700);
  CHECK(is_permutation_of_rows(maxmin_order(cloud.view(), with_threads(2))));
  CHECK(is_permutation_of_rows(coordinate_order(cloud.view())));
  CHECK(is_permutation_of_rows(spatial_order(cloud.view(), with_threads(2))));
  CHECK(is_permutation_of_rows(random_order(3000, 1)));
  CHECK(random_order(0, 1).empty());
}

TEST_CASE("a random ordering is a function of its key and uniform") {
  CHECK(random_order(1000, 1) == random_order(1000, 1));
  CHECK(random_order(1000, 1) != random_order(1000, 2));
  std::vector<int> first(4, 0);
  for (int key = 0; key < 4000; ++key) ++first[random_order(4, key)[0]];
  for (const int count : first) CHECK(count == doctest::Approx(1000).epsilon(0.1));
}

TEST_CASE("the coordinate ordering compares one coordinate after the other, then rows") {
  const Cloud cloud{{1, 5, 0, 9, 1, 2, 0, 9}, 2};
  CHECK(coordinate_order(cloud.view()) == std::vector<int>{1, 3, 2, 0});
}

TEST_CASE("points next to each other in the spatial ordering are close") {
  const Cloud cloud = uniform_cloud(10000, 2);
  const std::vector<int> order = spatial_order(cloud.view(), with_threads(1));
  double mean = 0.0;
  for (std::size_t i = 1; i < order.size(); ++i)
    mean += std::sqrt(distance2(cloud.view()[order[i]], cloud.view()[order[i - 1]], 2)) / 10000;
  CHECK(mean < 0.05);
}
