// Products of the host's matrices by a device, which receives the matrices and returns the product if they are large
// enough. This is only for the M x M matrices of inducing points, with M^3 operations. Those of rows stay on the device
// (variational/device_block.h).
#pragma once

#include "covariance/dense_device.h"

namespace neargp {

// product_engine() computes on the device while an object of this class lives. There is one at a time, and only its own
// thread computes.
class DeviceProducts {
 public:
  explicit DeviceProducts(const DenseDevice& device);
  ~DeviceProducts();
  DeviceProducts(const DeviceProducts&) = delete;
  DeviceProducts& operator=(const DeviceProducts&) = delete;
};

}  // namespace neargp
