// Launches of many tasks one after the other, with a warp for each target. The tasks compute no sums and cannot fail.
#pragma once

#include "conditional/gpu/launch.h"

namespace neargp {

template <class Device>
class WarpLaunches {
 public:
  // Does not wait, as run_plain().
  template <class Task>
  void run(const Task& task, Index targets) {
    if (targets == 0) return;  // CUDA refuses a launch of no blocks
    LaunchPlan plan;
    plan.team_threads = 32;
    plan.teams_per_block = 2;  // as a multiprocessor holds more warps than blocks
    plan.blocks = (targets + 1) / 2;
    plan.team_bytes = (team_memory(task) + 15) / 16 * 16;
    if (plan.teams() > teams_) {
      failed_.fill(0xff, plan.teams());
      teams_ = plan.teams();
    }
    Device::launch(task, TargetRange{0, targets, plan.teams()}, plan, LaunchMemory{nullptr, nullptr, failed_.data()});
  }

 private:
  DeviceArray<Device, Index> failed_;
  Index teams_ = 0;
};

}  // namespace neargp
