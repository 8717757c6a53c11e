// Scratch memory in pieces. Over no memory, an Arena counts the size that a computation
// needs. Over a buffer of that size it returns the pieces.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace neargp {

class Arena {
 public:
  explicit Arena(double* memory) : memory_(memory) {}

  // `count` objects of type V, aligned to a cache line.
  template <class V>
  V* take(std::size_t count) {
    const std::size_t doubles = (count * sizeof(V) + 63) / 64 * 8;
    double* piece = memory_ ? memory_ + used_ : nullptr;
    used_ += doubles;
    return reinterpret_cast<V*>(piece);
  }

  std::size_t used() const { return used_; }

 private:
  double* memory_;
  std::size_t used_ = 0;
};

// An array of doubles that starts on a cache line and only ever grows.
class AlignedBuffer {
 public:
  explicit AlignedBuffer(std::size_t doubles) { reserve(doubles); }

  void reserve(std::size_t doubles) {
    if (start_ && doubles <= capacity_) return;
    storage_.assign(doubles + 8, 0.0);
    capacity_ = doubles;
    const auto address = reinterpret_cast<std::uintptr_t>(storage_.data());
    start_ = storage_.data() + (64 - address % 64) % 64 / sizeof(double);
  }

  double* data() { return start_; }

 private:
  std::vector<double> storage_;
  std::size_t capacity_ = 0;
  double* start_ = nullptr;
};

}  // namespace neargp
