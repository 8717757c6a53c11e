#include "emulated_device.h"

namespace emulated {

const neargp::Backend& backend() {
  static const neargp::Backend table = neargp::DeviceBackend<Device>::table("emulated");
  return table;
}

}  // namespace emulated
