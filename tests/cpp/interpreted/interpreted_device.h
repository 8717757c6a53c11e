// The module's own code, for host and kernels, on an interpreted GPU that finds its faults. It replaces the emulated
// device, so the same tests apply to both.
#pragma once

#include <string>

#include "base/run_context.h"
#include "conditional/gpu/device_backend.h"
#include "conditional/gpu/module.h"
#include "gpu.h"

namespace emulated {

using neargp::Index;

// Four warps to a team; larger sets would take minutes.
constexpr int most_neighbors = 80;

struct State {
  ptx::Limits& limits = ptx::gpu().limits;
  std::int64_t& total_bytes = ptx::gpu().total_bytes;
  std::int64_t& fail_allocation = ptx::gpu().fail_allocation;
  std::int64_t& launches = ptx::gpu().launches;
  std::int64_t& uploaded_bytes = ptx::gpu().uploaded_bytes;
  std::int64_t& downloaded_bytes = ptx::gpu().downloaded_bytes;
  Index living = Index(ptx::gpu().memory.pieces());
  bool used_device_memory = false;

  State() {
    for (const std::string& kernel : ptx::gpu().launched)
      used_device_memory = used_device_memory || kernel.find("run_large_teams") != std::string::npos;
  }
};

inline State state() { return State(); }

inline const neargp::Backend& backend() { return *neargp_device_module()->backend; }

inline const neargp::DenseDevice& dense() { return *neargp_device_module()->dense; }

struct DeviceSearch {
  static neargp::NeighborEngine engine(const char*) { return *neargp_device_module()->neighbors; }
};

// Teams use as many threads as on a GPU, whatever number is given.
class Fresh {
 public:
  explicit Fresh(int = 1) {
    ptx::Gpu& gpu = ptx::gpu();
    gpu.limits = ptx::Limits();
    gpu.total_bytes = ptx::Gpu().total_bytes;
    gpu.fail_allocation = -1;
    gpu.allocations = gpu.launches = gpu.uploaded_bytes = gpu.downloaded_bytes = 0;
    gpu.launched.clear();
  }
};

}  // namespace emulated
