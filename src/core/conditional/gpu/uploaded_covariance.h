// A prepared covariance on a device, for one computation.
#pragma once

#include "conditional/gpu/covariance.h"
#include "conditional/gpu/device_array.h"

namespace neargp {

template <class Device, class Real = double>
class UploadedCovariance {
 public:
  explicit UploadedCovariance(const PreparedCovariance& covariance) : packed_(covariance) {
    memory_.reserve(Index(packed_.bytes()));
    memory_.upload(packed_.memory_for(memory_.data()), Index(packed_.bytes()));
  }
  TeamCovariance<Real> on_device() const { return packed_.at(memory_.data()); }

  // The same with addresses of the host, by which memory is counted.
  TeamCovariance<Real> on_host() const { return packed_.at(packed_.memory()); }

 private:
  PackedCovariance<Real> packed_;
  DeviceArray<Device, unsigned char> memory_;
};

}  // namespace neargp
