// Exact sparse Cholesky factor with fill, in an approximate minimum degree ordering, and the entries of the inverse on
// the pattern (Takahashi's recursion). Its fill grows faster than the number of nodes. It serves as a reference, and is
// affordable in the plane up to some 100,000 nodes.
#pragma once

#include <memory>

#include "linalg/sparse/sparse_factor.h"

namespace neargp {

// The exact factor that takes less time for this pattern: a sparse one or, where it would be nearly full, a dense one.
std::unique_ptr<SparseFactor> exact_factor(const SparsePattern& pattern);

class ExactCholesky : public SparseFactor {
 public:
  // The pattern outlives the factor.
  explicit ExactCholesky(const SparsePattern& pattern);
  ~ExactCholesky() override;

  bool factorize(const double* values, const RunContext& context) override;
  double log_det() const override;
  void inverse(double* values, const RunContext& context) const override;
  void solve(double* x, int columns, const RunContext& context) const override;
  double inverse_quadratic_form(const int* nodes, const double* weights, int count,
                                Workspace& workspace) const override;

  // Multiplications of a factorisation.
  double work() const;

 protected:
  Index size() const override { return pattern_.nodes(); }

 private:
  struct State;
  const SparsePattern& pattern_;
  std::unique_ptr<State> state_;
};

}  // namespace neargp
