#pragma once

#include <algorithm>
#include <cstdint>

#include "base/unset_vector.h"
#include "parallel/parallel_for.h"

namespace neargp {

// Sorts items by the lowest `bits` bits of key(item), an unsigned integer. Items with equal keys keep their order. Each
// pass sorts by 11 bits, the lowest first. Chunks are the same for any number of threads. A pass whose digit is the
// same for all items is skipped.
template <class Item, class Key>
class RadixSort {
 public:
  RadixSort(UnsetVector<Item>& items, const Key& key, const RunContext& context)
      : items_(items), key_(key), context_(context), size_(Index(items.size())),
        chunks_(std::clamp<Index>(size_ / smallest_chunk, 1, 64)), place_(std::size_t(chunks_) * digits) {}

  void run(int bits) {
    if (size_ < 2) return;
    UnsetVector<Item> sorted(items_.size());
    for (int shift = 0; shift < bits; shift += digit_bits) {
      parallel_for(context_, chunks_, [&](Index chunk) { count_digits(chunk, shift); });
      if (!place_digits()) continue;
      parallel_for(context_, chunks_, [&](Index chunk) { move_items(chunk, shift, sorted); });
      items_.swap(sorted);
    }
  }

 private:
  static constexpr int digit_bits = 11, digits = 1 << digit_bits;
  static constexpr Index smallest_chunk = 16384;

  Index first(Index chunk) const { return size_ * chunk / chunks_; }
  int digit(Index i, int shift) const { return int(std::uint64_t(key_(items_[i])) >> shift & (digits - 1)); }

  void count_digits(Index chunk, int shift) {
    Index* count = place_.data() + chunk * digits;
    std::fill_n(count, digits, 0);
    for (Index i = first(chunk); i < first(chunk + 1); ++i) ++count[digit(i, shift)];
  }

  // Turns the counts into the places of each chunk's first item of each digit. Returns whether the digits differ.
  bool place_digits() {
    Index before = 0;
    bool differ = false;
    for (int d = 0; d < digits; ++d) {
      const Index smaller = before;
      for (Index chunk = 0; chunk < chunks_; ++chunk) {
        const Index count = place_[chunk * digits + d];
        place_[chunk * digits + d] = before;
        before += count;
      }
      differ = differ || (before > smaller && before - smaller < size_);
    }
    return differ;
  }

  void move_items(Index chunk, int shift, UnsetVector<Item>& sorted) {
    Index* place = place_.data() + chunk * digits;
    for (Index i = first(chunk); i < first(chunk + 1); ++i) sorted[place[digit(i, shift)]++] = items_[i];
  }

  UnsetVector<Item>& items_;
  const Key& key_;
  const RunContext& context_;
  const Index size_, chunks_;
  std::vector<Index> place_;
};

template <class Item, class Key>
void radix_sort(UnsetVector<Item>& items, int bits, const Key& key, const RunContext& context) {
  RadixSort<Item, Key>(items, key, context).run(bits);
}

}  // namespace neargp
