// The memory of a launch, which it gets in addition to its task, and launches that need only a task.
#pragma once

#include "conditional/gpu/device_array.h"
#include "conditional/gpu/plan.h"
#include "conditional/gpu/run_targets.h"

namespace neargp {

// Addresses on the device that teams work with. The sums of team t are at sums + t * outputs. Its memory is at
// team_memory + t * plan.team_bytes, unless it is shared memory. Its smallest target that failed is failed[t], or -1.
struct LaunchMemory {
  double* sums;
  unsigned char* team_memory;
  Index* failed;
};

// Runs a task without sums or memory that cannot fail, with a warp for each of its targets. Does not wait: all later
// work, including the release of memory, comes after it in the same stream, and a download waits.
template <class Device, class Task>
void run_plain(const Task& task, Index targets) {
  if (targets == 0) return;  // CUDA refuses a launch of no blocks
  LaunchPlan plan;
  plan.team_threads = 32;
  plan.blocks = targets;
  DeviceArray<Device, Index> failed;
  failed.fill(0xff, targets);
  Device::launch(task, TargetRange{0, targets, targets}, plan, LaunchMemory{nullptr, nullptr, failed.data()});
}

}  // namespace neargp
