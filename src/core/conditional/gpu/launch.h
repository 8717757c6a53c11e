// The shape of a launch, which it gets in addition to its task, and launches that need nothing more.
#pragma once

#include "conditional/gpu/device_array.h"
#include "conditional/gpu/plan.h"
#include "conditional/gpu/run_targets.h"

namespace neargp {

// Addresses on the device that teams work with. Team t has its sums at sums + t * outputs, and its memory, unless that
// is shared memory, at team_memory + t * plan.team_bytes; failed[t] is its smallest target that failed, or -1.
struct LaunchMemory {
  double* sums;
  unsigned char* team_memory;
  Index* failed;
};

// A task without sums or memory that cannot fail: a warp for each of its targets. Does not wait: what comes after, a
// release of memory as well, is behind it in the stream of all work, and a download waits.
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
