#define NEARGP_LANES 2
#include <doctest/doctest.h>

#include <memory>

#include "conditional/cpu/assemble.h"
#include "core_fixtures.h"

using namespace neargp;
using namespace fixtures;

namespace {

constexpr int lanes = 2;

struct Filled {
  LocalView view;
  PreparedCovariance covariance;
  AlignedBuffer memory{0};
  std::unique_ptr<Tile<lanes>> tile;

  Filled(const LocalProblem& problem, const Covariance& model, Index first, Index last)
      : view(problem.view()), covariance(prepare(model, view.dim, true)) {
    const TileNeeds needs{true, true, 2};
    Arena counting(nullptr);
    Tile<lanes> counted(view, covariance, needs, counting);
    memory.reserve(counting.used());
    Arena arena(memory.data());
    tile = std::make_unique<Tile<lanes>>(view, covariance, needs, arena);
    tile->load(first, last);
    assemble(covariance, *tile, true);
  }
};

}  // namespace

TEST_CASE("a tile's matrix is the covariance of the neighbours and the target, absent rows being unit vectors") {
  const Data data(uniform_cloud(20, 2), 2);
  NeighborTable table = neighbors_others(data, 5);
  table[7][2] = table[9][4] = table[9][3] = -1;
  const LocalProblem problem(data.view(), table, {}, with_threads(1));
  for (const Model& model : all_models()) {
    if (model.dim != 2) continue;
    CAPTURE(model.name);
    for (Index first = 0; first < 20; first += lanes) {
      Filled filled(problem, model.covariance, first, 20);
      for (int lane = 0; lane < lanes; ++lane) {
        const Index row = problem.row_of_datum(first + lane);
        CHECK(filled.tile->target(lane) == first + lane);
        CHECK(get_lane(filled.tile->weight(), lane) == 1.0);
        for (int i = 0; i <= 5; ++i)
          for (int j = 0; j <= i; ++j) {
            const int a = i == 5 ? int(row) : table[row][i], b = j == 5 ? int(row) : table[row][j];
            double expected = i == j ? 1.0 : 0.0;
            if (a >= 0 && b >= 0)
              expected = reference::covariance(model.covariance, data.cloud.view()[a], data.cloud.view()[b]) +
                         (i == j ? 0.2 * data.noise_scale[std::size_t(a)] : 0.0);
            CHECK(std::abs(get_lane(filled.tile->matrix().row(i)[j], lane) - expected) < 1e-13);
          }
      }
    }
  }
}

TEST_CASE("lanes beyond the last target repeat it without weight") {
  const Data data(uniform_cloud(7, 2), 2);
  const LocalProblem problem(data.view(), neighbors_before(data, 3), {}, with_threads(1));
  Filled filled(problem, structures()[2].covariance, 6, 7);
  CHECK(filled.tile->target(0) == 6);
  CHECK(filled.tile->target(1) == 6);
  CHECK(get_lane(filled.tile->weight(), 0) == 1.0);
  CHECK(get_lane(filled.tile->weight(), 1) == 0.0);
}

TEST_CASE("values are read by column: neighbours, then the target, zero where absent") {
  const Data data(uniform_cloud(6, 2), 3);
  NeighborTable table = neighbors_others(data, 3);
  table[2][1] = -1;
  const LocalProblem problem(data.view(), table, {}, with_threads(1));
  for (Index first = 0; first < 6; first += lanes) {
    Filled filled(problem, structures()[2].covariance, first, 6);
    for (int c = 0; c < 3; ++c) {
      auto* x = filled.tile->vector(1);
      filled.tile->load_values(c, x);
      for (int lane = 0; lane < lanes; ++lane) {
        const Index row = problem.row_of_datum(first + lane);
        for (int r = 0; r < 3; ++r) {
          const int neighbor = table[row][r];
          CHECK(get_lane(x[r], lane) == (neighbor < 0 ? 0.0 : data.values[std::size_t(neighbor * 3 + c)]));
        }
        CHECK(get_lane(x[3], lane) == data.values[std::size_t(row * 3 + c)]);
      }
    }
  }
}

TEST_CASE("scratch memory starts on cache lines and pieces do not overlap") {
  AlignedBuffer memory(100);
  CHECK(reinterpret_cast<std::uintptr_t>(memory.data()) % 64 == 0);
  memory.reserve(1000);
  CHECK(reinterpret_cast<std::uintptr_t>(memory.data()) % 64 == 0);
  Arena counting(nullptr), arena(memory.data());
  char* previous_end = reinterpret_cast<char*>(memory.data());
  for (const std::size_t count : {1, 3, 8, 9}) {
    CHECK(counting.take<double>(count) == nullptr);
    double* piece = arena.take<double>(count);
    CHECK(reinterpret_cast<std::uintptr_t>(piece) % 64 == 0);
    CHECK(reinterpret_cast<char*>(piece) >= previous_end);
    previous_end = reinterpret_cast<char*>(piece + count);
  }
  CHECK(counting.used() == arena.used());
  CHECK(arena.used() == 40);
}
