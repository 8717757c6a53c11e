// Columns of random effects whitened by Vecchia's approximation of a field. A row of the columns Z contains few
// entries, one for each term of a grouping factor, and a row of the whitened columns contains few as well. With weights
// b and variance f of the row given its neighbours,
//
//   w = (z - sum_l b_l z_l) / sqrt(f).
//
// Its entries are in the columns of the row and of its neighbours. W'W is the Gram matrix of the whitened columns.
#pragma once

#include <cstdint>
#include <vector>

#include "base/run_context.h"
#include "base/types.h"
#include "conditional/problem.h"

namespace neargp {

// Row-major, in the order of the caller's rows: each row's entries are in `slots` columns, -1 where there is none.
struct EffectColumns {
  int columns = 0, slots = 0;
  const int* column = nullptr;  // rows x slots
};

class EffectRows {
 public:
  // The problem outlives the object.
  EffectRows(const LocalProblem& problem, const EffectColumns& columns, const RunContext& context);

  Index targets() const { return Index(count_.size()); }
  int columns() const { return columns_; }
  int most() const { return width_; }  // entries of a row, at most

  // The `count(t)` columns of row t of W, ascending, and its entries.
  int count(Index t) const { return count_[t]; }
  const int* column(Index t) const { return row_column_.data() + t * width_; }
  const double* entries(Index t) const { return w_.data() + t * width_; }
  // Returns the first row of W with an entry that is not finite, else the row with the largest sum of squares.
  Index longest() const;

  // Entries of Z, rows x slots in the caller's order.
  void set_values(const double* values);
  // Sets entries of 1, whitened by weights that fall off from neighbour to neighbour. The result shows which columns
  // are tied to each other more than others.
  void set_typical(const RunContext& context);
  // Computes W from weights (targets x k) and variances of all targets.
  void whiten(const std::vector<double>& weights, const std::vector<double>& variance, const RunContext& context);

  // x -= z u for a row of the data in the order of memory, `width` columns u (columns x width, row-major).
  void subtract_product(Index datum, const double* u, int width, double* x) const;
  // Returns z'h for the m-th neighbour of target t, and for the target itself where m = k. `h` is numbered like row t
  // of W.
  double product(Index t, int m, Index datum, const double* h) const;

 private:
  int columns_, slots_, k_, width_;
  std::vector<int> data_row_;  // the caller's row of a datum
  const int* neighbors_;
  std::vector<int> column_;  // data x slots
  std::vector<double> value_;
  std::vector<int> count_, row_column_;  // targets x width
  std::vector<std::uint16_t> place_;     // targets x (k + 1) x slots: where an entry of Z goes in its row of W
  std::vector<double> w_;
};

}  // namespace neargp
