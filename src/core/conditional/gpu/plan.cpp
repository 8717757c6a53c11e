#include "conditional/gpu/plan.h"

#include <algorithm>
#include <string>

#include "base/error.h"

namespace neargp {

namespace {

// A part of the memory that is free is left to the device's own needs and to fragments.
constexpr double usable_share = 0.85;

// The sums of all teams together take no more than this.
constexpr Index most_partial_doubles = Index(1) << 25;

constexpr int warp = 32;

// CUDA takes some shared memory for each block, and allots the rest in pieces (CUDA C++ Programming Guide, section on
// compute capabilities, and the occupancy calculator of Nsight Compute).
constexpr Index reserved_per_block = 1024, shared_piece = 128;

// Kernels use up to 128 registers a thread, of the 65,536 of a multiprocessor (src/cuda/launch.h).
constexpr Index most_threads_by_registers = 512;

// Threads of a team. More threads finish a target sooner, but wait for each other more often, since the pivots of a
// factor come one after the other. In a team as long as the matrix, threads are idle for half of it. Small matrices
// therefore get parts of a warp. Where few matrices fit on the chip, each gets more threads, to keep it busy. These
// numbers were derived on paper only: see bench/notes/cuda.md.
int threads_of_team(const LaunchDemand& demand, bool in_shared) {
  if (!in_shared) return 256;
  if (demand.whole_warps) return warp;
  if (demand.rows <= 12) return 8;
  if (demand.rows <= 48) return 16;
  if (demand.rows <= 56) return 32;
  if (demand.rows <= 72) return 64;
  return demand.rows <= 104 ? 128 : 256;
}

// Teams of a warp load the same four entries of their matrices at one time, 32 bytes of doubles. A distance of 32
// modulo 128 bytes, the width of shared memory, puts those of four teams in banks of their own.
Index apart_in_banks(Index team_bytes) { return (team_bytes + 95) / 128 * 128 + 32; }

[[noreturn]] void refuse(double needed, double free) {
  const auto gigabytes = [](double bytes) {
    return std::to_string(int(bytes / 1e9)) + "." + std::to_string(int(bytes / 1e8) % 10) + " GB";
  };
  throw Error("The GPU has too little free memory: " + gigabytes(needed) + " are needed at least, and " +
              gigabytes(free) +
              " are free. Use a smaller `k`, close other programs on the GPU, or compute with "
              "device = \"cpu\".");
}

// Shared memory of a block, without what CUDA takes.
Index shared_of_block(const DeviceLimits& limits, const LaunchPlan& plan) {
  const Index own = plan.team_threads > warp ? limits.static_shared : 0;
  return (plan.teams_per_block * plan.team_bytes + own + shared_piece - 1) / shared_piece * shared_piece;
}

// Blocks of a plan that run on a multiprocessor at one time.
Index resident_blocks(const DeviceLimits& limits, const LaunchPlan& plan) {
  const Index by_memory = limits.shared_per_multiprocessor / (shared_of_block(limits, plan) + reserved_per_block);
  const Index by_threads =
      std::min<Index>(limits.threads_per_multiprocessor, most_threads_by_registers) / plan.block_threads();
  return std::clamp<Index>(std::min(by_memory, by_threads), 1, limits.blocks_per_multiprocessor);
}

// A block consists of whole warps, so a team of few threads shares its block with others.
LaunchPlan smallest_in_shared(const LaunchDemand& demand) {
  LaunchPlan plan;
  plan.team_threads = threads_of_team(demand, true);
  plan.team_bytes = demand.team_bytes;
  plan.teams_per_block = std::max(1, warp / plan.team_threads);
  return plan;
}

// Blocks of one warp or of two, whichever puts more teams on a multiprocessor.
LaunchPlan plan_in_shared(const DeviceLimits& limits, LaunchPlan plan) {
  plan.blocks = resident_blocks(limits, plan);
  if (plan.team_threads <= warp) {
    LaunchPlan larger = plan;
    larger.teams_per_block *= 2;
    larger.blocks = resident_blocks(limits, larger);
    if (shared_of_block(limits, larger) <= limits.shared_per_block && larger.teams() > plan.teams()) plan = larger;
  }
  plan.blocks *= limits.multiprocessors;
  return plan;
}

LaunchPlan plan_in_device_memory(const DeviceLimits& limits, const LaunchDemand& demand, Index free_bytes) {
  LaunchPlan plan;
  plan.in_shared = false;
  plan.team_threads = threads_of_team(demand, false);
  plan.team_bytes = demand.team_bytes;
  const double team_bytes = double(demand.team_bytes);
  const Index fitting = Index(0.5 * usable_share * double(free_bytes) / team_bytes);
  if (fitting < 1) refuse(team_bytes / (0.5 * usable_share), double(free_bytes));
  // Two blocks hide each other's waiting. More would only compete for the cache.
  plan.blocks = std::min<Index>(fitting, Index(2) * limits.multiprocessors);
  return plan;
}

}  // namespace

LaunchPlan plan_launch(const DeviceLimits& limits, const LaunchDemand& wanted, Index free_bytes) {
  LaunchDemand demand = wanted;
  demand.team_bytes = apart_in_banks(wanted.team_bytes);
  const LaunchPlan smallest = smallest_in_shared(demand);
  LaunchPlan plan = shared_of_block(limits, smallest) <= limits.shared_per_block
                        ? plan_in_shared(limits, smallest)
                        : plan_in_device_memory(limits, demand, free_bytes);
  const Index by_sums = most_partial_doubles / std::max<Index>(1, demand.outputs) / plan.teams_per_block;
  const Index by_targets = (demand.targets + plan.teams_per_block - 1) / plan.teams_per_block;
  plan.blocks = std::clamp<Index>(std::min(by_sums, by_targets), 1, plan.blocks);
  return plan;
}

Index chunk_targets(const LaunchDemand& demand, Index teams, Index free_bytes, Index bytes_per_target) {
  const double rows = demand.rows;
  const double operations = rows * rows * (rows / 3 + 60);
  const double by_time = operations_per_launch / operations;
  const double by_memory = usable_share * double(free_bytes) / double(std::max<Index>(1, bytes_per_target));
  if (by_memory < 1) refuse(double(bytes_per_target) / usable_share, double(free_bytes));
  const double most = std::min({by_time, by_memory, double(demand.targets)});
  const Index whole = std::max<Index>(1, Index(most));
  if (whole >= demand.targets) return std::max<Index>(1, demand.targets);
  if (whole >= teams) return whole / teams * teams;
  if (by_memory >= double(teams)) return std::min(teams, demand.targets);
  refuse(double(bytes_per_target) * double(teams) / usable_share, double(free_bytes));
}

}  // namespace neargp
