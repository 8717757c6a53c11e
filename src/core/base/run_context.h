#pragma once

#include <functional>

namespace neargp {

struct Backend;
struct DenseDevice;
struct NeighborEngine;

// The execution context of a computation: its threads, devices and callbacks. It is passed down by const reference, and
// is never global.
struct RunContext {
  int threads = 1;
  std::function<void()> check_interrupt;  // may throw; called on the calling thread only; may be empty
  const Backend* backend = nullptr;       // the device of local computations; null: the CPU
  const DenseDevice* dense = nullptr;     // the device of dense matrices; null: the CPU
  bool single_precision = false;  // of matrices that only sums are made of, on devices; the CPU has doubles only
  const NeighborEngine* neighbors = nullptr;  // an exact search of neighbours; null: the kd-tree
  std::function<void(double)> progress;       // fraction done; called on the calling thread only; may be empty
};

}  // namespace neargp
