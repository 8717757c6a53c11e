// Columns of W'W one after the other, and x + W'W x for several columns x at a time. Neither needs W'W as a matrix.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/run_context.h"
#include "effects/effect_rows.h"
#include "parallel/parallel_for.h"

namespace neargp {

class GramColumns {
 public:
  // The rows outlive the object.
  explicit GramColumns(const EffectRows& rows);

  const EffectRows& rows() const { return rows_; }
  int columns() const { return rows_.columns(); }
  // The number of rows of W that contain column j.
  Index rows_of(int j) const { return Index(start_[j + 1] - start_[j]); }

  // Calls action(j, sums) for each column, on different threads. `sums` is column j of W'W, summed over some hundred
  // evenly spread rows that contain the column, at the present entries.
  template <class Action>
  void for_each_sampled(const RunContext& context, const Action& action) const {
    constexpr int columns_per_chunk = 64;
    const int q = columns();
    parallel_for(context, (q + columns_per_chunk - 1) / columns_per_chunk, [&](Index chunk) {
      std::vector<double> sums(q);
      for (int j = int(chunk) * columns_per_chunk; j < std::min(q, (int(chunk) + 1) * columns_per_chunk); ++j) {
        std::fill(sums.begin(), sums.end(), 0.0);
        add_column(j, sums.data());
        action(j, sums.data());
      }
    });
  }

  // y = x + W'W x, both columns() x `width` row-major; `width` is 4 or 16.
  void multiply(const double* x, int width, double* y, const RunContext& context) const;

 private:
  void add_column(int j, double* sums) const;

  const EffectRows& rows_;
  std::vector<std::size_t> start_;  // of column j, whose rows follow each other
  std::vector<int> row_;
  std::vector<std::uint16_t> place_;  // of column j in that row
  mutable std::vector<double> sums_;  // of the parts of the rows
};

}  // namespace neargp
