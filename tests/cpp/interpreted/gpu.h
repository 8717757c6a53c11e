// The interpreted GPU: settings for its users, and what they can learn from it. CUDA's functions for it are in
// runtime.cpp.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "launch.h"
#include "memory.h"

namespace ptx {

struct Limits {
  int multiprocessors = 2, threads_per_multiprocessor = 2048, blocks_per_multiprocessor = 32;
  std::int64_t shared_per_block = 227 << 10, shared_per_multiprocessor = 228 << 10;
};

// A launch whose instructions were counted, and the bytes of its arguments.
struct CountedLaunch {
  std::string kernel;
  LaunchSize size;
  std::vector<std::vector<unsigned char>> arguments;
  Counts counts;
};

struct Gpu {
  Limits limits;
  std::int64_t total_bytes = std::int64_t(1) << 32;
  std::int64_t fail_allocation = -1;  // the number of the allocation that fails

  std::int64_t allocations = 0, launches = 0, uploaded_bytes = 0, downloaded_bytes = 0;
  std::set<std::string> launched;  // kernels
  bool is_counting = false;
  std::vector<CountedLaunch> counted;

  GlobalMemory memory;
};

Gpu& gpu();

}  // namespace ptx
