// Mini-batches without replacement: a random permutation of 0 .. n-1 cut into pieces, then the next permutation. A
// batch that would run over the end takes its rest from the next permutation. All batches are therefore of one size,
// and every row is equally likely in every batch.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "geometry/ordering.h"
#include "random/philox.h"

namespace neargp {

class Batches {
 public:
  Batches(Index n, std::uint64_t key, std::uint64_t stream) : n_(n), keys_(key, stream) {}

  // Continues as if `rows` rows had been drawn.
  void skip(Index rows) {
    pass_ = std::uint64_t(rows / n_);
    at_ = rows % n_;
    order_ = random_order(n_, keys_.bits(pass_++));
  }

  std::vector<int> next(Index size) {
    std::vector<int> batch;
    batch.reserve(size);
    while (Index(batch.size()) < size) {
      if (at_ == Index(order_.size())) {
        order_ = random_order(n_, keys_.bits(pass_++));
        at_ = 0;
      }
      const Index count = std::min<Index>(size - Index(batch.size()), n_ - at_);
      batch.insert(batch.end(), order_.begin() + at_, order_.begin() + at_ + count);
      at_ += count;
    }
    return batch;
  }

 private:
  Index n_;
  Philox keys_;
  std::uint64_t pass_ = 0;
  std::vector<int> order_;
  Index at_ = 0;
};

}  // namespace neargp
