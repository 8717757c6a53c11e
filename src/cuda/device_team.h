// Teams of a GPU (conditional/gpu/team.h): a part of a warp, or a block.
#pragma once

#include "conditional/gpu/team.h"

namespace neargp {

// 1, 2, 4, ..., 32 neighbouring threads of a warp. All teams of a warp go the same way (conditional/gpu/run_targets.h),
// so that a barrier is one of the whole warp.
class WarpTeam {
 public:
  __device__ WarpTeam(int rank, int size) : rank_(rank), size_(size) {}

  __device__ int rank() const { return rank_; }
  __device__ int size() const { return size_; }
  __device__ void barrier() const { __syncwarp(); }

  __device__ double sum(double x) const {
    for (int step = size_ / 2; step > 0; step /= 2) x += __shfl_xor_sync(all, x, step);
    return x;
  }

  __device__ int place(bool flag, int& total) const {
    const int first = int(threadIdx.x % 32) - rank_;
    const unsigned team = (size_ == 32 ? all : (1u << size_) - 1u) << first;
    const unsigned flags = __ballot_sync(all, flag) & team;
    total = __popc(flags);
    return __popc(flags & ((1u << (first + rank_)) - 1u));
  }

 private:
  static constexpr unsigned all = 0xffffffffu;
  int rank_, size_;
};

// All threads of a block, which consists of whole warps. `shared` provides a number for each warp.
class BlockTeam {
 public:
  static constexpr int most_warps = 32;

  __device__ explicit BlockTeam(double* shared) : shared_(shared) {}

  __device__ int rank() const { return threadIdx.x; }
  __device__ int size() const { return blockDim.x; }
  __device__ void barrier() const { __syncthreads(); }

  __device__ double sum(double x) const {
    for (int step = 16; step > 0; step /= 2) x += __shfl_xor_sync(0xffffffffu, x, step);
    if (threadIdx.x % 32 == 0) shared_[threadIdx.x / 32] = x;
    __syncthreads();
    double sum = 0.0;
    for (int warp = 0; warp < int(blockDim.x / 32); ++warp) sum += shared_[warp];
    __syncthreads();
    return sum;
  }

  __device__ int place(bool flag, int& total) const {
    const unsigned flags = __ballot_sync(0xffffffffu, flag);
    const int own_warp = threadIdx.x / 32;
    if (threadIdx.x % 32 == 0) shared_[own_warp] = __popc(flags);
    __syncthreads();
    int before = __popc(flags & ((1u << (threadIdx.x % 32)) - 1u));
    total = 0;
    for (int warp = 0; warp < int(blockDim.x / 32); ++warp) {
      if (warp < own_warp) before += int(shared_[warp]);
      total += int(shared_[warp]);
    }
    __syncthreads();
    return before;
  }

 private:
  double* shared_;
};

}  // namespace neargp
