// Neighbour search by teams against the kd-tree's, ties and all.
#include <doctest/doctest.h>

#include <exception>
#include <thread>

#include "emulated_device.h"
#include "extended.h"
#include "few_cases.h"
#include "geometry/neighbors.h"
#include "geometry_fixtures.h"

using namespace neargp;
using namespace fixtures;

namespace {

const NeighborEngine& engine() {
  static const NeighborEngine engine = emulated::DeviceSearch::engine("emulated");
  return engine;
}

struct Search {
  std::vector<int> label, limit, excluded;

  UnsetVector<int> run(Points reference, Points queries, int k) const {
    UnsetVector<int> index(std::size_t(queries.n) * k, -1);
    NeighborRequest request;
    request.reference = reference;
    request.queries = queries;
    request.label = label.empty() ? nullptr : label.data();
    request.limit = limit.empty() ? nullptr : limit.data();
    request.excluded = excluded.empty() ? nullptr : excluded.data();
    request.k = k;
    request.index = index.data();
    engine().search(request, RunContext{});
    return index;
  }
};

std::vector<Cloud> clouds() {
  return {uniform_cloud(300, 1), uniform_cloud(310, 2), uniform_cloud(270, 5),       uniform_cloud(150, 54),
          lattice(15),           integer_lattice(16),   duplicated_cloud(200, 3, 20)};
}

// Reference and queries in their order, known by their rows.
void check_earlier(const Cloud& cloud) {
  const Points points = cloud.view();
  const std::vector<int> order = shuffled(int(points.n));
  const int k = 9;
  std::vector<double> coords;
  Search search;
  for (const int row : order) {
    coords.insert(coords.end(), points[row], points[row] + points.dim);
    search.label.push_back(row);
    search.limit.push_back(int(search.limit.size()));
  }
  const Points ordered{coords.data(), points.n, points.dim};
  const UnsetVector<int> found = search.run(ordered, ordered, k);
  const NeighborTable expected = nearest_before(points, order, k, with_threads(1));
  for (Index rank = 0; rank < points.n; ++rank)
    for (int e = 0; e < k; ++e) REQUIRE(found[rank * k + e] == expected[order[rank]][e]);
}

}  // namespace

TEST_CASE("teams find the neighbours that the tree finds" * extended) {
  for (const int threads : {1, 2}) {
    const emulated::Fresh device(threads);
    for (const Cloud& cloud : some_of(clouds()))
      for (const int k : {1, 7, 70}) {
        if (threads > 1 && (cloud.dim != 3 || k != 7)) continue;  // barriers of the CPU are slow
        CAPTURE(cloud.dim);
        CAPTURE(k);
        const Points points = cloud.view();
        const NeighborTable to = nearest_to(points, points, k, with_threads(1));
        CHECK(Search().run(points, points, k) == to.index);

        Search others;
        for (int i = 0; i < points.n; ++i) others.excluded.push_back(i);
        CHECK(others.run(points, points, k) == nearest_others(points, k, with_threads(1)).index);
      }
    CHECK(emulated::state().living == 0);
  }
}

TEST_CASE("teams find neighbours among earlier points") {
  const emulated::Fresh device;
  for (const Cloud& cloud : some_of(clouds())) check_earlier(cloud);
}

TEST_CASE("teams of two threads find neighbours among earlier points" * extended) {
  const emulated::Fresh device(2);
  for (const Cloud& cloud : some_of(clouds()))
    if (cloud.dim == 3) check_earlier(cloud);
}

TEST_CASE("a team may have more threads than a store has room for" * extended) {
  const emulated::Fresh device(150);  // of 128, in which 70 stay
  const Cloud reference = uniform_cloud(600, 2), queries = uniform_cloud(2, 2, 8);
  const NeighborTable expected = nearest_to(reference.view(), queries.view(), 60, with_threads(1));
  CHECK(Search().run(reference.view(), queries.view(), 60) == expected.index);
}

TEST_CASE("a thread that has not spoken to the device yet may search") {
  const emulated::Fresh device;
  const Cloud cloud = uniform_cloud(200, 2);
  UnsetVector<int> found;
  std::exception_ptr failure;
  std::thread([&] {
    try {
      found = Search().run(cloud.view(), cloud.view(), 5);
    } catch (...) {
      failure = std::current_exception();
    }
  }).join();
  CHECK(failure == nullptr);
  CHECK(found == nearest_to(cloud.view(), cloud.view(), 5, with_threads(1)).index);
}

TEST_CASE("the device is chosen where it is faster and has room for the points") {
  const emulated::Fresh device;
  const Cloud cloud = uniform_cloud(4000, 30);
  NeighborRequest request;
  request.reference = request.queries = cloud.view();
  request.k = 30;
  CHECK(engine().pays(request, RunContext{}));
  emulated::state().total_bytes = 4000 * 30 * 8 + 1024 * 30 * 8;
  CHECK_FALSE(engine().pays(request, RunContext{}));
}

TEST_CASE("a search runs in parts, and where stores do not fit on the chip" * extended) {
  const emulated::Fresh device;
  const Cloud reference = uniform_cloud(900, 2), queries = uniform_cloud(2500, 2, 8);
  const NeighborTable expected = nearest_to(reference.view(), queries.view(), 40, with_threads(1));
  emulated::state().total_bytes = 1 << 19;
  CHECK(Search().run(reference.view(), queries.view(), 40) == expected.index);
  CHECK(emulated::state().launches > 1);
  emulated::state().total_bytes = Index(1) << 30;
  emulated::state().limits.shared_per_block = 4 << 10;
  CHECK(Search().run(reference.view(), queries.view(), 40) == expected.index);
  CHECK(emulated::state().used_device_memory);
  CHECK(emulated::state().living == 0);
}
