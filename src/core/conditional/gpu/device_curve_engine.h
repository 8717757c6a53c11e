// The CurveEngine of a device (geometry/neighbor_engine.h).
#pragma once

#include <limits>

#include "conditional/gpu/device_earlier.h"
#include "conditional/gpu/device_maxmin.h"

namespace neargp {

// On paper a device with 20,000 rows or more is several times as fast as 16 threads: see bench/notes/cuda.md.
template <class Device>
bool curve_pays(Index n, int dim, int k, const RunContext&) {
  constexpr Index least_rows = 20000;
  if (n < least_rows || n > std::numeric_limits<int>::max() - TeamEarlier::leaf_size || (dim != 2 && dim != 3))
    return false;
  Device::use(Device::current());
  const double bytes_per_row =
      k > 0 ? DeviceEarlier<Device>::bytes_per_row(dim, k) : DeviceMaxmin<Device>::bytes_per_row(dim);
  return 1.3 * bytes_per_row * double(n) < double(Device::free_bytes());  // launches need 8 to 16 bytes a row
}

template <class Device>
inline constexpr CurveEngine curve_engine = {curve_pays<Device>, DeviceEarlier<Device>::run, DeviceMaxmin<Device>::run};

}  // namespace neargp
