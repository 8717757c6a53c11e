#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "parallel/parallel_for.h"

namespace neargp {

// Finds the number of a block by its key. Few possible keys are positions in a table. Otherwise the key is hashed, and
// the next free position is taken. Positions depend on which thread comes first, and answers do not.
class BlockTable {
 public:
  static constexpr int none = -1;

  // Keys of `bits` bits, all different.
  void fill(const std::uint64_t* keys, Index blocks, int bits, const RunContext& context) {
    keys_ = keys;
    dense_ = bits < 40 && (Index{1} << bits) <= 4 * blocks + 4096;
    Index positions = dense_ ? Index{1} << bits : 64;
    while (positions < 2 * blocks && !dense_) positions *= 2;
    if (positions > Index(number_.size())) number_ = std::vector<std::atomic<int>>(std::size_t(positions));
    mask_ = std::uint64_t(positions - 1);
    parallel_ranges(context, positions, light_range, [&](Index first, Index last, Index) {
      for (Index position = first; position < last; ++position) number_[position].store(none, relaxed);
    });
    parallel_ranges(context, blocks, light_range, [&](Index first, Index last, Index) {
      for (Index block = first; block < last; ++block) insert(int(block));
    });
  }

  int find(std::uint64_t key) const {
    std::uint64_t position = home(key);
    int number = number_[position].load(relaxed);
    if (dense_) return number;
    while (number != none && keys_[number] != key) {
      position = (position + 1) & mask_;
      number = number_[position].load(relaxed);
    }
    return number;
  }

 private:
  static constexpr auto relaxed = std::memory_order_relaxed;  // loops separate inserting and finding
  // A multiplicative hash (Knuth's), by the golden ratio.
  std::uint64_t home(std::uint64_t key) const { return dense_ ? key : (key * 0x9e3779b97f4a7c15u >> 20) & mask_; }

  void insert(int number) {
    std::uint64_t position = home(keys_[number]);
    for (int empty = none; !number_[position].compare_exchange_strong(empty, number, relaxed); empty = none)
      position = (position + 1) & mask_;
  }

  const std::uint64_t* keys_ = nullptr;
  bool dense_ = false;
  std::uint64_t mask_ = 0;
  std::vector<std::atomic<int>> number_;
};

}  // namespace neargp
