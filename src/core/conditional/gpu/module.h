// The interface of a device module: a shared object of its own, opened when a device is first asked for
// (conditional/gpu/module_loader.h), so that the package loads where the device's libraries are missing. It is compiled
// by the compiler of the package, or with that as its host compiler: both sides share the types of C++, and an Error
// thrown by the module is caught as one by the package.
#pragma once

#include <string>

#include "conditional/backend.h"
#include "covariance/dense_device.h"
#include "geometry/neighbor_engine.h"

namespace neargp {

// Raised whenever DeviceModule, DeviceInfo or DenseDevice changes. The backend has a version of its own
// (backend_abi_version); the loader checks both.
inline constexpr int device_module_abi_version = 4;

struct DeviceInfo {
  std::string name;          // as its maker calls it
  std::string architecture;  // "9.0"
  std::string driver;        // the version that its driver supports, "13.0"
  double total_bytes = 0.0;
  double free_bytes = 0.0;
};

// Functions report trouble by throwing an Error, but for device_count().
struct DeviceModule {
  int abi_version;
  const char* name;   // "cuda", the word of the user's `device` argument
  const char* build;  // what it was compiled for, to be shown: "CUDA 13.0 for sm_80, sm_90 and newer"

  // How many devices can be used; where there is none, why_none is a sentence with reason and remedy. Never throws.
  int (*device_count)(std::string& why_none);
  DeviceInfo (*describe)(int device);
  // Views that are opened from now on live on this device. It may claim memory there and start threads.
  void (*select)(int device);
  // The number by which the maker's libraries know the selected device: they also count those that cannot be used here.
  int (*selected)();

  const Backend* backend;
  const NeighborEngine* neighbors;  // null: the module offers no search
  const DenseDevice* dense;
};

}  // namespace neargp

// The only symbol that the loader looks for. Computes nothing and touches no device.
extern "C" const neargp::DeviceModule* neargp_device_module();
