// A set of columns from which the first one is taken again and again, while later ones are added.
#pragma once

#include <cstdint>
#include <vector>

#include "base/types.h"

namespace neargp {

// A bit for each column, and a bit for each word of these bits that is not zero. Finding the first column of a million
// looks at 245 words at most.
class ColumnSet {
 public:
  // Makes an empty set for columns below `columns`. Does nothing where these fit already.
  void fit(Index columns) {
    if (columns <= columns_) return;
    columns_ = columns;
    word_.assign(std::size_t(columns / 64 + 1), 0);
    group_.assign(word_.size() / 64 + 1, 0);
    first_group_ = group_.size();
  }

  void insert(int column) {
    const std::size_t word = std::size_t(column) / 64;
    word_[word] |= std::uint64_t(1) << (column % 64);
    group_[word / 64] |= std::uint64_t(1) << (word % 64);
    if (word / 64 < first_group_) first_group_ = word / 64;
  }

  // Removes the first column and returns it; -1 if there is none.
  int take_first() {
    while (first_group_ < group_.size() && group_[first_group_] == 0) ++first_group_;
    if (first_group_ == group_.size()) return -1;
    const std::size_t word = first_group_ * 64 + std::size_t(__builtin_ctzll(group_[first_group_]));
    const int bit = __builtin_ctzll(word_[word]);
    word_[word] &= word_[word] - 1;
    if (word_[word] == 0) group_[first_group_] &= group_[first_group_] - 1;
    return int(word * 64) + bit;
  }

 private:
  Index columns_ = 0;
  std::size_t first_group_ = 0;
  std::vector<std::uint64_t> word_, group_;
};

}  // namespace neargp
