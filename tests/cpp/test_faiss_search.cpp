// The search by candidates in single precision, with a plain loop in place of FAISS (tests/cpp/modules).
#include "extended.h"
#include "geometry/faiss_search.h"

#include <doctest/doctest.h>

#include <cmath>
#include <string>

#include "base/error.h"
#include "base/shared_object.h"
#include "geometry/faiss_engine.h"
#include "geometry/neighbors.h"
#include "geometry_fixtures.h"

using namespace neargp;

namespace {

std::string plain_file() { return NEARGP_TEST_MODULES "/faiss.so"; }

RunContext by_faiss(int threads = 1, int gpu = no_gpu) {
  RunContext context = fixtures::with_threads(threads);
  context.neighbors = &faiss_engine(plain_file(), FaissUse::always, gpu);
  return context;
}

int told_by_plain(const char* what) {
  int number = 0;
  reinterpret_cast<void (*)(int*)>(open_symbol(plain_file(), what))(&number);
  return number;
}

// The number of searches, block by block, that the plain loop has done in place of a GPU.
int searches_on_gpu() { return told_by_plain("plain_searches_on_gpu"); }

fixtures::Cloud moved(fixtures::Cloud cloud, double scale, double shift) {
  for (double& x : cloud.coords) x = scale * x + shift;
  return cloud;
}

void check_all_searches(const fixtures::Cloud& cloud, int k) {
  const RunContext faiss = by_faiss(), tree;
  const Points points = cloud.view();
  const std::vector<int> order = fixtures::shuffled(int(points.n));
  CHECK(nearest_before(points, order, k, faiss).index == nearest_before(points, order, k, tree).index);
  CHECK(nearest_others(points, k, faiss).index == nearest_others(points, k, tree).index);
  const Index half = points.n / 2;
  const Points first = {points.data, half, points.dim}, second = {points[half], points.n - half, points.dim};
  CHECK(nearest_to(first, second, k, faiss).index == nearest_to(first, second, k, tree).index);
  const std::vector<int> later = fixtures::shuffled(int(second.n), 4);
  CHECK(nearest_joint(first, second, later, k, faiss).index == nearest_joint(first, second, later, k, tree).index);
}

}  // namespace

TEST_CASE("candidates in single precision lead to the tree's neighbours") {
  for (const int dim : {1, 3, 20}) {
    CAPTURE(dim);
    check_all_searches(fixtures::uniform_cloud(700, dim), 10);
  }
}

TEST_CASE("equal distances and points at one location") {
  check_all_searches(fixtures::lattice(26), 7);
  check_all_searches(fixtures::integer_lattice(26), 40);
  check_all_searches(fixtures::duplicated_cloud(600, 3, 25), 12);
  check_all_searches(fixtures::duplicated_cloud(600, 3, 1), 12);
}

// Relative to the distance between the clusters, the distances within them are lost in single precision.
fixtures::Cloud clusters_far_apart(double width) {
  fixtures::Cloud clusters = moved(fixtures::uniform_cloud(600, 2), width, 0.0);
  for (std::size_t i = 0; i < clusters.coords.size(); i += 4) clusters.coords[i] += 1.0;
  return clusters;
}

TEST_CASE("coordinates far from the origin, tiny, huge, and clusters far apart") {
  check_all_searches(moved(fixtures::uniform_cloud(500, 4), 1.0, 1e8), 9);
  check_all_searches(moved(fixtures::uniform_cloud(500, 4), 1e-200, 0.0), 9);
  check_all_searches(moved(fixtures::uniform_cloud(500, 4), 1e150, 0.0), 9);
  for (const double width : {1e-2, 1e-6}) check_all_searches(clusters_far_apart(width), 9);
}

TEST_CASE("clusters ever farther apart" * extended) {
  for (const double width : {1e-3, 1e-4, 1e-5, 1e-7, 1e-9}) check_all_searches(clusters_far_apart(width), 9);
}

TEST_CASE("queries far outside the reference points") {
  const fixtures::Cloud cloud = fixtures::uniform_cloud(300, 3),
                        far = moved(fixtures::uniform_cloud(40, 3, 2), 1e30, 1e31);
  CHECK(nearest_to(cloud.view(), far.view(), 6, by_faiss()).index ==
        nearest_to(cloud.view(), far.view(), 6, RunContext{}).index);
}

TEST_CASE("several stretches of an ordered search, and several threads" * extended) {
  const fixtures::Cloud cloud = fixtures::uniform_cloud(9500, 6);
  const std::vector<int> order = fixtures::shuffled(9500);
  const NeighborTable tree = nearest_before(cloud.view(), order, 5, RunContext{});
  CHECK(nearest_before(cloud.view(), order, 5, by_faiss()).index == tree.index);
  CHECK(nearest_before(cloud.view(), order, 5, by_faiss(3)).index == tree.index);
}

TEST_CASE("on a GPU, which gives so many candidates only") {
  const fixtures::Cloud cloud = fixtures::uniform_cloud(700, 6), duplicated = fixtures::duplicated_cloud(600, 3, 25);
  const RunContext on_gpu = by_faiss(2, 3);
  const auto agree = [&](Points points, int k) {
    CHECK(nearest_others(points, k, on_gpu).index == nearest_others(points, k, RunContext{}).index);
  };
  agree(cloud.view(), 10);
  CHECK(told_by_plain("plain_last_gpu") == 3);
  const int searches = searches_on_gpu();
  CHECK(searches > 0);
  // 24 points at each location need a second round with 60 candidates, the most that there can be, instead of 8 times
  // 23
  agree(duplicated.view(), 7);
  CHECK(searches_on_gpu() == searches + 2);
  const int before = searches_on_gpu();
  agree(cloud.view(), 50);
  CHECK(searches_on_gpu() == before);
}

TEST_CASE("fewer points than neighbours and candidates") {
  check_all_searches(fixtures::uniform_cloud(9, 2), 5);
  check_all_searches(fixtures::uniform_cloud(9, 2), 20);
}

TEST_CASE("the certificate holds for the errors of single precision") {
  // pairs at many distances from the centre, with small and large distances between the two points
  int tight = 0;
  for (const int dim : {2, 54}) {
    const fixtures::Cloud cloud = fixtures::uniform_cloud(400, dim, 8);
    for (int i = 0; i < 200; ++i) {
      std::vector<double> x(dim), y(dim);
      double norm2 = 0.0, reach2 = 0.0;
      float xx = 0.0f, yy = 0.0f, xy = 0.0f;
      for (int c = 0; c < dim; ++c) {
        x[c] = 2.0 * cloud.view()[i][c] - 1.0;
        y[c] = x[c] + std::ldexp(cloud.view()[200 + i][c] - 0.5, -(i % 30));
        norm2 += x[c] * x[c];
        reach2 += (x[c] - y[c]) * (x[c] - y[c]);
        xx += float(x[c]) * float(x[c]);
        yy += float(y[c]) * float(y[c]);
        xy += float(x[c]) * float(y[c]);
      }
      const double single = xx + yy - 2.0f * xy;
      const double largest = largest_single_distance2(std::sqrt(reach2), std::sqrt(norm2), dim);
      CHECK(single <= largest);
      tight += single > reach2 && i % 30 > 12;
    }
  }
  CHECK_MESSAGE(tight > 0, "some of these distances must come out too large, or the test shows nothing");
}

TEST_CASE("by default the engine is used for many points in many dimensions only, and never without its module") {
  RunContext context;
  context.neighbors = &faiss_engine(plain_file(), FaissUse::where_faster);
  const fixtures::Cloud cloud = fixtures::uniform_cloud(300, 12);
  NeighborRequest request;
  request.reference = request.queries = cloud.view();
  request.k = 5;
  CHECK_FALSE(context.neighbors->pays(request, context));
  request.reference.n = request.queries.n = 1 << 20;
  faiss_engine("nowhere.so", FaissUse::where_faster);
  CHECK_FALSE(context.neighbors->pays(request, context));
  context.neighbors = &faiss_engine("nowhere.so", FaissUse::always);
  CHECK_THROWS_AS(nearest_others(cloud.view(), 5, context), Error);
}
