// A device module whose GPU is the CPU (emulated_device.h). With this module, R's tests run everything that a GPU would
// run except CUDA itself. For CUDA see tools/test-cuda.sh.
#include "conditional/gpu/module.h"
#include "emulated_device.h"

using namespace neargp;

namespace {

int device_count(std::string&) { return 1; }

DeviceInfo describe(int) {
  return {"Emulated GPU", "0.0", "0.0", double(emulated::state().total_bytes), double(emulated::Device::free_bytes())};
}

void select(int) { const emulated::Fresh device; }

int selected() { return emulated::Device::current(); }

constexpr NeighborEngine search = emulated::DeviceSearch::engine("emulated");

}  // namespace

extern "C" const DeviceModule* neargp_device_module() {
  static const Backend backend = DeviceBackend<emulated::Device>::table("emulated");
  static const DeviceModule module = {
      device_module_abi_version, "emulated", "tests", device_count, describe, select, selected, &backend, &search,
      &emulated::dense()};
  return &module;
}
