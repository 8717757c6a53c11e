// Memory of a device, released with the object.
//
// All code of conditional/gpu/ uses a device through a class Device. Its functions are static.
//
//   `current()`                           Returns the device, of type `Place`, of views that are opened now.
//   `use(p)`, `use_to_release(p)`         Must be called before the host's thread uses the device `p`. The latter never
//                                         throws.
//   `limits()`                            Returns DeviceLimits (conditional/gpu/plan.h).
//   `operations_per_clock()`              Returns the rate in double precision.
//   `free_bytes()`                        Returns the free memory.
//   `allocate(bytes)`                     Returns a pointer to memory.
//   `release(pointer)`                    Never throws.
//   `upload(to, from, bytes)`             Copies to the device.
//   `download(to, from, bytes)`           Copies from the device.
//   `fill(pointer, byte, bytes)`          Sets all bytes.
//   `products()`, `stacked_products()`    Return the ProductEngine and the StackEngine of blocks in the device's memory
//                                         (linalg/product_engine.h, linalg/stacked_products.h).
//   `launch(task, range, plan, memory)`   Calls run_targets() for all teams of the plan. Memory: see LaunchMemory.
//   `synchronize()`                       Waits for the launches, and reports their errors.
//
// CUDA's Device is in src/cuda/cuda_device.h. The tests use one that is the CPU.
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
