// Memory of a device, released with the object.
//
// Device is the class through which all of team/ speaks to a device; its functions are static:
//
//   Place, current()                      where views that are opened now will lie
//   use(place), use_to_release(place)     before the host's thread speaks to that place; the latter never throws
//   limits()                              DeviceLimits (conditional/gpu/plan.h)
//   operations_per_clock()                in double precision
//   free_bytes()
//   allocate(bytes), release(pointer)     release never throws
//   upload(to, from, bytes), download(to, from, bytes)
//   fill(pointer, byte, bytes)
//   products(), stacked_products()        the ProductEngine and the StackEngine of blocks in its memory
//                                         (linalg/product_engine.h, linalg/stacked_products.h)
//   launch(task, range, plan, memory)     run_targets() for all teams of the plan; memory: see LaunchMemory
//   synchronize()                         waits for what was launched, and reports its errors
//
// src/cuda/cuda_device.h is CUDA's; the tests have one that is the CPU.
#pragma once

#include <cstddef>
#include <utility>

#include "base/types.h"

namespace neargp {

template <class Device, class T>
class DeviceArray {
 public:
  DeviceArray() = default;
  DeviceArray(DeviceArray&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), capacity_(std::exchange(other.capacity_, 0)) {}
  DeviceArray& operator=(DeviceArray&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(capacity_, other.capacity_);
    return *this;
  }
  DeviceArray(const DeviceArray&) = delete;
  DeviceArray& operator=(const DeviceArray&) = delete;
  ~DeviceArray() { release(); }

  T* data() const { return data_; }

  // Room for `count` elements. Growing discards the contents.
  void reserve(Index count) {
    if (count <= capacity_) return;
    release();
    data_ = static_cast<T*>(Device::allocate(std::size_t(count) * sizeof(T)));
    capacity_ = count;
  }

  void upload(const T* from, Index count) {
    reserve(count);
    if (count > 0) Device::upload(data_, from, std::size_t(count) * sizeof(T));
  }

  void download(T* to, Index count) const {
    if (count > 0) Device::download(to, data_, std::size_t(count) * sizeof(T));
  }

  // All bytes of the first `count` elements: 0 makes zeros, 0xff makes integers of -1.
  void fill(int byte, Index count) {
    reserve(count);
    if (count > 0) Device::fill(data_, byte, std::size_t(count) * sizeof(T));
  }

 private:
  void release() {
    if (data_) Device::release(data_);
    data_ = nullptr;
    capacity_ = 0;
  }

  T* data_ = nullptr;
  Index capacity_ = 0;
};

}  // namespace neargp
