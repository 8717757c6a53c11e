// Incomplete Cholesky factor without fill: its pattern is that of the matrix, and products that fall outside of the
// pattern are dropped.
#pragma once

#include <vector>

#include "linalg/sparse/sparse_factor.h"

namespace neargp {

class IncompleteCholesky : public SparseFactor {
 public:
  // The pattern outlives the factor.
  explicit IncompleteCholesky(const SparsePattern& pattern);

  bool factorize(const double* values, const RunContext& context) override;
  double log_det() const override;
  std::vector<double> log_pivots() const override;
  void inverse(double* values, const RunContext& context) const override;
  void solve(double* x, int columns, const RunContext& context) const override;
  double inverse_quadratic_form(const int* nodes, const double* weights, int count,
                                Workspace& workspace) const override;
  void inverse_block(const int* nodes, int count, double* block, Workspace& workspace) const override;

 protected:
  Index size() const override { return pattern_.nodes(); }

 private:
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

}  // namespace neargp
