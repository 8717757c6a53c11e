// Columns of stacks of matrices on a device (linalg/stacked_products.h), and runs of their rows.
#pragma once

#include "base/hd.h"
#include "linalg/stacked_products.h"

namespace neargp {

NEARGP_HD inline const double* column_of(const ConstStack& stack, Index matrix, Index column) {
  return stack.first.data + matrix * stack.step + column * stack.first.stride;
}

NEARGP_HD inline double* column_of(const Stack& stack, Index matrix, Index column) {
  return stack.first.data + matrix * stack.step + column * stack.first.stride;
}

// Targets that are runs of rows of one column: run r of column j of matrix w is target (w * columns + j) * runs + r.
class ColumnRuns {
 public:
  NEARGP_HD explicit ColumnRuns(const Stack& stack)
      : rows_(stack.first.rows), columns_(stack.first.columns), count_(stack.count), runs_((rows_ + run - 1) / run) {}

  NEARGP_HD Index targets() const { return runs_ * columns_ * count_; }
  NEARGP_HD Index matrix(Index target) const { return target / runs_ / columns_; }
  NEARGP_HD Index column(Index target) const { return target / runs_ % columns_; }
  NEARGP_HD Index begin(Index target) const { return target % runs_ * run; }
  NEARGP_HD Index end(Index target) const {
    const Index end = begin(target) + run;
    return end < rows_ ? end : rows_;
  }

 private:
  static constexpr Index run = 1024;

  Index rows_, columns_, count_, runs_;
};

}  // namespace neargp
