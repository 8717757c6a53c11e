// Incomplete Cholesky factor without fill: its pattern is that of the matrix, and products that fall outside of the
// pattern are dropped. The entries are blocks with a row and a column for each unknown of a node, numbers for a single
// unknown. Unknown r of a node is number r * nodes + node in vectors.
#pragma once

#include <memory>
#include <vector>

#include "linalg/sparse/block_arithmetic.h"
#include "linalg/sparse/sparse_factor.h"

namespace neargp {

template <int unknowns>
class IncompleteBlocks : public SparseFactor {
 public:
  // The pattern outlives the factor.
  explicit IncompleteBlocks(const SparsePattern& pattern);

  bool factorize(const double* values, const RunContext& context) override;
  double log_det() const override;
  std::vector<double> log_pivots() const override;
  void inverse(double* values, const RunContext& context) const override;
  void solve(double* x, int columns, const RunContext& context) const override;
  double inverse_quadratic_form(const int* nodes, const double* weights, int count,
                                Workspace& workspace) const override;
  void inverse_block(const int* nodes, int count, double* block, Workspace& workspace) const override;

 protected:
  Index size() const override { return pattern_.nodes() * unknowns; }

 private:
  using Arithmetic = BlockArithmetic<unknowns>;
  static constexpr std::size_t area = Arithmetic::area;

  int place_of(int number) const { return unknowns == 1 ? number : int(number % pattern_.nodes()); }
  int field_of(int number) const { return unknowns == 1 ? 0 : int(number / pattern_.nodes()); }

  template <int lanes>
  void solve_together(double* x) const;

  template <class Pair>
  bool eliminate(Index column, const Pair* table);
  template <class Pair>
  void invert(Index column, const Pair* table, double* t, double* values) const;

  const SparsePattern& pattern_;
  int most_rows_ = 0;
  std::vector<double> factor_;
};

using IncompleteCholesky = IncompleteBlocks<1>;

// The incomplete factor on a pattern, with blocks of the pattern's size.
std::unique_ptr<SparseFactor> incomplete_factor(const SparsePattern& pattern);

}  // namespace neargp
