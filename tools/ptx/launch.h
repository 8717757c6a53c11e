// A launch of a kernel, block after block.
#pragma once

#include <cstdint>

#include "kernel.h"
#include "memory.h"

namespace ptx {

struct LaunchSize {
  std::uint32_t blocks, block_threads;
  std::uint64_t dynamic_shared;  // bytes
};

// `number` is another one for each launch, from 1 on. Throws a Fault.
void run_kernel(const Kernel& kernel, const void* const* arguments, const LaunchSize& size, std::uint32_t number,
                GlobalMemory& global);

}  // namespace ptx
