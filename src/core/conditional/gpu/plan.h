// How work is laid out on a device: teams and their memory, and chunks of targets that fit into the free memory. This
// is plain arithmetic, tested without a device.
#pragma once

#include "base/types.h"

namespace neargp {

// The length of a launch, so that interrupts are answered in between: a third of a second at 5e11 operations a second,
// a slow device's rate in double precision.
inline constexpr double operations_per_launch = 1.5e11;

struct DeviceLimits {
  int multiprocessors = 1;
  int threads_per_multiprocessor = 2048;
  int blocks_per_multiprocessor = 32;
  Index shared_per_block = 48 << 10;           // bytes that a block may have
  Index shared_per_multiprocessor = 64 << 10;  // and all blocks of a multiprocessor together
  Index static_shared = 256;                   // of it, what a team of several warps has beside its memory
};

struct LaunchPlan {
  int team_threads = 1;
  int teams_per_block = 1;
  Index blocks = 1;
  Index team_bytes = 0;   // of memory for each team
  bool in_shared = true;  // is that memory shared memory, or the device's

  Index teams() const { return blocks * teams_per_block; }
  int block_threads() const { return team_threads * teams_per_block; }
};

// The demands of a computation on a launch.
struct LaunchDemand {
  int rows = 1;          // of a target's matrix
  Index team_bytes = 0;  // of memory for each team
  Index outputs = 0;     // sums of each team
  Index targets = 0;
  bool whole_warps = false;  // teams of a warp must not go different ways, and these do
};

// Plans as many teams as the device runs at one time. Each computes sums of its own, and goes through many targets.
// `free_bytes` limits the memory of teams that do not fit into shared memory. Throws an Error if there is no room for a
// single team.
LaunchPlan plan_launch(const DeviceLimits& limits, const LaunchDemand& demand, Index free_bytes);

// Returns the number of targets in one launch: a multiple of `teams`, or all targets of `demand` if they are fewer.
// Their arrays, `bytes_per_target` each, fit into the free memory. A launch takes well under a second, since interrupts
// are answered in between. Throws an Error if not even one target for each team fits.
Index chunk_targets(const LaunchDemand& demand, Index teams, Index free_bytes, Index bytes_per_target);

}  // namespace neargp
