// Sums over rows, in chunks on several threads, the same for any number of them.
#pragma once

#include <algorithm>
#include <vector>

#include "parallel/parallel_for.h"

namespace neargp {

// The sum over n rows that come in pieces, in their order. Sum provides add(const Sum&). Chunks are dealt in turn to a
// number of sums, which are then added in their order. This number depends on `n` and on the size of a sum alone.
// Therefore the sizes of the pieces play no part, as long as each piece but the last consists of whole chunks.
template <class Sum>
class RowSums {
 public:
  RowSums(Index n, Index chunk_rows, Index doubles_per_sum, const Sum& zero) : chunk_rows_(chunk_rows), zero_(zero) {
    constexpr Index doubles_of_sums = Index(1) << 24, fewest = 4, most = 16;
    const Index chunks = (n + chunk_rows - 1) / chunk_rows;
    const Index count =
        std::min(chunks, std::clamp(doubles_of_sums / std::max<Index>(doubles_per_sum, 1), fewest, most));
    sums_.assign(std::size_t(count), zero);
  }

  // The next rows: body(first, last, sum) adds first .. last-1 of them, counted from the first of the piece.
  template <class Body>
  void add(Index rows, const RunContext& context, const Body& body) {
    const Index chunks = (rows + chunk_rows_ - 1) / chunk_rows_, count = Index(sums_.size());
    for (Index round = 0; round < chunks; round += count)
      parallel_for(context, std::min(count, chunks - round), [&](Index s) {
        const Index first = (round + s) * chunk_rows_;
        body(first, std::min(first + chunk_rows_, rows), sums_[std::size_t((added_ + s) % count)]);
      });
    added_ += chunks;
  }

  // Sets all sums to zero and keeps their memory.
  void restart() {
    for (Sum& sum : sums_) sum = zero_;
    added_ = 0;
  }

  Sum total() const {
    Sum total = zero_;
    for (const Sum& sum : sums_) total.add(sum);
    return total;
  }

 private:
  Index chunk_rows_, added_ = 0;  // added_: chunks of earlier pieces
  Sum zero_;
  std::vector<Sum> sums_;
};

// The sum over n rows that are all there.
template <class Sum, class Body>
Sum sum_rows(Index n, Index chunk_rows, Index doubles_per_sum, const RunContext& context, const Sum& zero,
             const Body& body) {
  RowSums<Sum> sums(n, chunk_rows, doubles_per_sum, zero);
  sums.add(n, context, body);
  return sums.total();
}

}  // namespace neargp
