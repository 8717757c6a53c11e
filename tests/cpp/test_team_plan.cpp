// Layout of launches and chunks, without a device.
#include <doctest/doctest.h>

#include "base/error.h"
#include "conditional/gpu/plan.h"
#include "conditional/gpu/run_targets.h"
#include "conditional/gpu/vecchia_sums.h"
#include "core_fixtures.h"

using namespace neargp;

namespace {

// NVIDIA's H200.
DeviceLimits large_gpu() { return {132, 2048, 32, 227 << 10, 228 << 10}; }

LaunchDemand demand(int rows, Index team_doubles, Index targets, Index outputs = 30) {
  return {rows, 8 * team_doubles, outputs, targets};
}

constexpr Index gigabyte = Index(1) << 30;

// Memory of a team for values, gradient and information of data in the plane.
template <class Real>
Index bytes_of_team(int k, int columns, const Covariance& covariance) {
  const PreparedCovariance prepared = prepare(covariance, 2, true);
  PackedCovariance<Real> packed(prepared);
  LocalView view;
  view.dim = 2;
  view.k = k;
  view.columns = columns;
  return team_memory(TeamVecchiaSums<true, Real>{view, packed.at(packed.memory())});
}

Index round_up(Index bytes, Index piece) { return (bytes + piece - 1) / piece * piece; }

}  // namespace

TEST_CASE("small matrices share blocks and fill the multiprocessors") {
  const LaunchPlan plan = plan_launch(large_gpu(), demand(31, 1500, 1000000), 100 * gigabyte);
  CHECK(plan.in_shared);
  CHECK(plan.block_threads() % 32 == 0);
  CHECK(plan.teams_per_block * plan.team_threads == plan.block_threads());
  CHECK(plan.teams_per_block * plan.team_bytes <= large_gpu().shared_per_block);
  const Index resident = plan.blocks / large_gpu().multiprocessors;
  CHECK(resident >= 2);
  CHECK(resident * (round_up(plan.teams_per_block * plan.team_bytes, 128) + 1024) <=
        large_gpu().shared_per_multiprocessor);
  CHECK(resident * plan.block_threads() <= 512);  // by registers
}

TEST_CASE("teams of a warp find the same entries of their matrices in different banks of shared memory") {
  for (Index doubles = 1480; doubles < 1520; doubles += 2) {
    const LaunchPlan plan = plan_launch(large_gpu(), demand(31, doubles, 1000000), 100 * gigabyte);
    CHECK(plan.team_bytes % 128 == 32);
    CHECK(plan.team_bytes >= 8 * doubles);
    CHECK(plan.team_bytes < 8 * doubles + 128);
  }
}

TEST_CASE("a plan never asks for more than the device has") {
  const DeviceLimits small{10, 1024, 16, 48 << 10, 64 << 10};
  for (const DeviceLimits& limits : {large_gpu(), small})
    for (int rows = 1; rows < 700; rows += 13) {
      CAPTURE(rows);
      const Index doubles = Index(rows) * rows + 12 * rows;
      const LaunchPlan plan = plan_launch(limits, demand(rows, doubles, 123456), 16 * gigabyte);
      CHECK(plan.blocks >= 1);
      CHECK(plan.block_threads() % 32 == 0);
      CHECK(plan.block_threads() <= 256);
      if (plan.team_threads > 32) CHECK(plan.teams_per_block == 1);
      if (plan.in_shared)
        CHECK(plan.teams_per_block * doubles * 8 <= limits.shared_per_block);
      else
        CHECK(plan.teams() * doubles * 8 <= 16 * gigabyte);
    }
}

TEST_CASE("all blocks of a plan run at one time, and another one would not") {
  const DeviceLimits a100{108, 2048, 32, 163 << 10, 164 << 10}, l40s{142, 1536, 24, 99 << 10, 100 << 10};
  const Covariance matern = fixtures::families()[1].covariance;
  const auto check = [](const DeviceLimits& limits, int k, Index team_bytes) {
    CAPTURE(k);
    CAPTURE(team_bytes);
    const LaunchPlan plan = plan_launch(limits, {k + 1, team_bytes, 30, 10000000}, 10 * gigabyte);
    REQUIRE(plan.in_shared);
    const Index resident = plan.blocks / limits.multiprocessors;
    // of a block that is one team: 256 bytes in which its warps exchange sums
    const Index dynamic = plan.teams_per_block * plan.team_bytes, fixed = plan.team_threads > 32 ? 256 : 0;
    const Index block = round_up(dynamic + fixed, 128) + 1024;
    CHECK(block - 1024 <= limits.shared_per_block);
    CHECK(resident * block <= limits.shared_per_multiprocessor);
    const bool another = (resident + 1) * block <= limits.shared_per_multiprocessor &&
                         (resident + 1) * plan.block_threads() <= 512 && resident < limits.blocks_per_multiprocessor;
    CHECK_FALSE(another);
  };
  for (const int columns : {1, 2, 3, 4}) {
    CAPTURE(columns);
    check(a100, 30, bytes_of_team<float>(30, columns, matern));
    check(l40s, 60, bytes_of_team<float>(60, columns, matern));
    check(l40s, 15, bytes_of_team<double>(15, columns, matern));
    for (const int k : {38, 47}) check(large_gpu(), k, bytes_of_team<double>(k, columns, matern));
  }
  for (const DeviceLimits& limits : {large_gpu(), a100, l40s})
    for (int k = 1; k < 100; ++k) check(limits, k, bytes_of_team<double>(k, 2, matern));
}

TEST_CASE("the memory of a team is counted beyond the numbers of an int") {
  const int k = 30000;
  Covariance covariance;
  for (int c = 0; c < 3; ++c) covariance.components.push_back(fixtures::families()[6].covariance.components[0]);
  // slope and shape of each, the covariance of all but the first, and the factor
  const double triangles = 3 * 2 + 2 + 1;
  CHECK(double(bytes_of_team<double>(k, 2, covariance)) > triangles * k * (k - 1.0) / 2.0 * 8.0);
}

TEST_CASE("matrices that do not fit on the chip go to the device's memory") {
  const LaunchPlan plan = plan_launch(large_gpu(), demand(257, 80000, 25600), 100 * gigabyte);
  CHECK(!plan.in_shared);
  CHECK(plan.team_threads == 256);
  CHECK(plan.teams() == 264);
  // fewer teams where memory is short, and an error where not even one fits
  CHECK(plan_launch(large_gpu(), demand(257, 80000, 25600), 10 << 20).teams() < 10);
  CHECK_THROWS_AS(plan_launch(large_gpu(), demand(257, 80000, 25600), 1 << 20), Error);
}

TEST_CASE("few targets and many sums take few teams") {
  CHECK(plan_launch(large_gpu(), demand(31, 1500, 3), gigabyte).teams() <= 4);
  CHECK(plan_launch(large_gpu(), demand(31, 1500, 0), gigabyte).blocks == 1);
  const LaunchPlan wide = plan_launch(large_gpu(), demand(31, 1500, 1000000, 400000), gigabyte);
  CHECK(wide.teams() * 400000 * 8 <= gigabyte);
}

TEST_CASE("teams that go different ways have whole warps") {
  LaunchDemand search = demand(1, 400, 1000);
  search.whole_warps = true;
  CHECK(plan_launch(large_gpu(), search, gigabyte).team_threads % 32 == 0);
}

TEST_CASE("chunks are multiples of the number of teams and fit") {
  const Index teams = 2640;
  const LaunchDemand million = demand(31, 1500, 1000000);
  const Index chunk = chunk_targets(million, teams, gigabyte, 2000);
  CHECK(chunk % teams == 0);
  CHECK(chunk * 2000 <= gigabyte);
  CHECK(chunk_targets(million, teams, gigabyte, 0) == 1000000);
  CHECK(chunk_targets(million, teams, 100 * gigabyte, 100) == 1000000);
  CHECK(chunk_targets(demand(31, 1500, 0), teams, gigabyte, 100) == 1);
  CHECK_THROWS_AS(chunk_targets(million, teams, 1000, 100), Error);
  CHECK_THROWS_AS(chunk_targets(million, teams, 50, 100), Error);
}

TEST_CASE("a launch with large matrices is short enough to be interrupted") {
  // k = 2000: 3e9 operations a target
  CHECK(chunk_targets(demand(2001, 4000000, 100000), 20, 100 * gigabyte, 100000) < 200);
}
