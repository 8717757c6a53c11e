// The interface of a device module, which is a shared object of its own. It is opened when a device is first asked for
// (conditional/gpu/module_loader.h), so that the package loads where the device's libraries are missing. The compiler
// of the package compiles it, or is its host compiler. Both sides therefore share the types of C++, and the package
// catches an Error that the module throws as an Error.
#pragma once

#include <string>

#include "conditional/backend.h"
#include "covariance/dense_device.h"
#include "geometry/neighbor_engine.h"

namespace neargp {

// Raised whenever DeviceModule, DeviceInfo, DenseDevice or NeighborEngine changes. The loader also checks the version
// of the backend, backend_abi_version.
inline constexpr int device_module_abi_version = 5;

struct DeviceInfo {
  std::string name;          // as its maker calls it
  std::string architecture;  // "9.0"
  std::string driver;        // the version that its driver supports, "13.0"
  double total_bytes = 0.0;
  double free_bytes = 0.0;
};

// Functions report trouble by throwing an Error, except device_count().
struct DeviceModule {
  int abi_version;
  const char* name;   // "cuda", the word of the user's `device` argument
  const char* build;  // what it was compiled for, to be shown: "CUDA 13.0 for sm_80, sm_90 and newer"

  // Returns the number of devices that can be used. If it is 0, why_none is a sentence with reason and remedy. Never
  // throws.
  int (*device_count)(std::string& why_none);
  DeviceInfo (*describe)(int device);
  // Views that are opened from now on live on this device. It may claim memory there and start threads.
  void (*select)(int device);
  // The number of the selected device in the maker's libraries, which also count devices that cannot be used here.
  int (*selected)();

  const Backend* backend;
  const NeighborEngine* neighbors;  // null: the module offers no search
  const DenseDevice* dense;
};

}  // namespace neargp

// The only symbol that the loader looks for. Computes nothing and touches no device.
extern "C" const neargp::DeviceModule* neargp_device_module();
