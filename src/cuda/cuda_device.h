// A GPU, as conditional/gpu/device_array.h wants a device to be.
#pragma once

#include <cstddef>

#include "conditional/gpu/evaluation.h"
#include "linalg/stacked_products.h"

namespace neargp {

struct CudaDevice {
  // The number of a GPU. Views that are opened from now on live on it.
  using Place = int;
  static Place current();
  static void select(Place place);

  // Each thread of the host selects its current device in CUDA for itself.
  static void use(Place place);
  static void use_to_release(Place place) noexcept;

  static constexpr Index static_shared = 256;  // what kernels of several warps to a team declare themselves (launch.h)

  static DeviceLimits limits();
  static double operations_per_clock();  // in double precision, of all multiprocessors together
  static Index free_bytes();

  static void* allocate(std::size_t bytes);
  static void release(void* pointer) noexcept;
  static void upload(void* to, const void* from, std::size_t bytes);
  static void download(void* to, const void* from, std::size_t bytes);
  static void fill(void* pointer, int byte, std::size_t bytes);
  static void synchronize();

  static const ProductEngine& products();        // by cuBLAS and cuSOLVER (products.cpp)
  static const StackEngine& stacked_products();  // the same

  // Defined in launch.h, which is included by a separate file for each task.
  template <class Task>
  static void launch(const Task& task, const TargetRange& range, const LaunchPlan& plan, const LaunchMemory& memory);
};

}  // namespace neargp
