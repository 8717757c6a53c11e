// A launch of a kernel, block after block.
#pragma once

#include <cstdint>

#include "counter.h"
#include "kernel.h"
#include "memory.h"

namespace ptx {

struct LaunchSize {
  std::uint32_t blocks, block_threads;
  std::uint64_t dynamic_shared;  // bytes
};

// `number` is another one for each launch, from 1 on. Counts what is done where `counts` is not null. Throws a Fault.
void run_kernel(const Kernel& kernel, const void* const* arguments, const LaunchSize& size, std::uint32_t number,
                GlobalMemory& global, Counts* counts = nullptr);

}  // namespace ptx
