// Teams on a GPU: the kernels, templates over tasks, one for each layout of a launch. Included once for each task, by a
// file that instantiates CudaDevice::launch() for it, so that tasks are compiled side by side.
#pragma once

#include <cuda_runtime.h>

#include "check.h"
#include "cuda_device.h"
#include "device_team.h"

namespace neargp {

// The number of a thread's team among all teams, and its memory where that is shared memory.
__device__ inline Index team_number(const LaunchPlan& plan) {
  return Index(blockIdx.x) * plan.teams_per_block + threadIdx.x / plan.team_threads;
}

__device__ inline unsigned char* shared_memory_of_team(const LaunchPlan& plan) {
  extern __shared__ double2 shared[];  // on a boundary of 16 bytes
  return reinterpret_cast<unsigned char*>(shared) + threadIdx.x / plan.team_threads * plan.team_bytes;
}

template <class Task, class Team>
__device__ inline void run_team(const Task& task, const TargetRange& range, const Team& team, const LaunchPlan& plan,
                                const LaunchMemory& memory, unsigned char* team_memory) {
  const Index number = team_number(plan);
  run_targets(task, range, team, number, team_memory, memory.sums + number * task.outputs(), memory.failed + number);
}

// The bounds say how many threads a block has at most (conditional/gpu/plan.cpp), and for how many blocks to a
// multiprocessor registers must do: 128 to a thread in all three. More would leave too few threads to wait for each
// other's loads.
template <class Task>
__global__ void __launch_bounds__(64, 8)
    run_warp_teams(const Task task, const TargetRange range, const LaunchPlan plan, const LaunchMemory memory) {
  const WarpTeam team(threadIdx.x % plan.team_threads, plan.team_threads);
  run_team(task, range, team, plan, memory, shared_memory_of_team(plan));
}

template <class Task>
__global__ void __launch_bounds__(256, 2)
    run_block_teams(const Task task, const TargetRange range, const LaunchPlan plan, const LaunchMemory memory) {
  __shared__ double for_sums[BlockTeam::most_warps];
  static_assert(sizeof(for_sums) == CudaDevice::static_shared, "plans count with it");
  run_team(task, range, BlockTeam(for_sums), plan, memory, shared_memory_of_team(plan));
}

template <class Task>
__global__ void __launch_bounds__(256, 2)
    run_large_teams(const Task task, const TargetRange range, const LaunchPlan plan, const LaunchMemory memory) {
  __shared__ double for_sums[BlockTeam::most_warps];
  run_team(task, range, BlockTeam(for_sums), plan, memory, memory.team_memory + team_number(plan) * plan.team_bytes);
}

template <class Kernel, class Task>
void launch_kernel(Kernel kernel, const Task& task, const TargetRange& range, const LaunchPlan& plan,
                   const LaunchMemory& memory) {
  const std::size_t bytes = plan.in_shared ? std::size_t(plan.teams_per_block) * plan.team_bytes : 0;
  check_cuda(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, int(bytes)),
             "reserve its shared memory");
  // Memory that is not shared is a cache, which only large teams need much of.
  check_cuda(
      cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout,
                           plan.in_shared ? int(cudaSharedmemCarveoutMaxShared) : int(cudaSharedmemCarveoutMaxL1)),
      "divide its memory");
  kernel<<<unsigned(plan.blocks), unsigned(plan.block_threads()), bytes>>>(task, range, plan, memory);
  check_cuda(cudaGetLastError(), "start a computation");
}

template <class Task>
void CudaDevice::launch(const Task& task, const TargetRange& range, const LaunchPlan& plan,
                        const LaunchMemory& memory) {
  if (!plan.in_shared)
    launch_kernel(run_large_teams<Task>, task, range, plan, memory);
  else if (plan.team_threads > 32)
    launch_kernel(run_block_teams<Task>, task, range, plan, memory);
  else
    launch_kernel(run_warp_teams<Task>, task, range, plan, memory);
}

}  // namespace neargp
