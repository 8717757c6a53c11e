// Exact sparse Cholesky factor with fill, in an approximate minimum degree ordering, and the
// entries of the inverse on the pattern (Takahashi's recursion). Its fill grows faster than the
// number of nodes: a reference, and affordable in the plane up to some 100,000 nodes.
#pragma once

#include <memory>

#include "linalg/sparse/sparse_factor.h"

namespace neargp {

class ExactCholesky : public SparseFactor {
 public:
  // The pattern outlives the factor.
  explicit ExactCholesky(const SparsePattern& pattern);
  ~ExactCholesky() override;

  Index factorise(const double* values, const RunContext& context) override;
  double log_det() const override;
  void inverse(double* values, const RunContext& context) const override;
  void solve(double* x, int columns, const RunContext& context) const override;
  double half_norm(const int* nodes, const double* weights, int count, Workspace& workspace) const override;

 private:
  struct State;
  const SparsePattern& pattern_;
  std::unique_ptr<State> state_;
};

}  // namespace neargp
