// The "factor" of a mean-field posterior. With independent nodes, its log determinant and inverse use only the A_jj:
//
//   log_det = sum_j log A_jj,   Z = diag(1 / A_jj) = d log_det / dA.
//
// Any objective of (log_det, Z) is then the mean-field one, as KL[N(m, diag(A)^-1) || N(0, Q^-1)] depends on A in no
// other way. The mean still solves the whole system, by the factor inside.
#pragma once

#include <memory>
#include <vector>

#include "linalg/sparse/sparse_factor.h"

namespace neargp {

class MeanFieldFactor : public SparseFactor {
 public:
  // The pattern outlives the factor. `solver` factorises the same matrix.
  MeanFieldFactor(const SparsePattern& pattern, std::unique_ptr<SparseFactor> solver);

  bool factorize(const double* values, const RunContext& context) override;
  double log_det() const override;
  void inverse(double* values, const RunContext& context) const override;
  void solve(double* x, int columns, const RunContext& context) const override;
  // sum_j b_j^2 / A_jj
  double inverse_quadratic_form(const int* nodes, const double* weights, int count,
                                Workspace& workspace) const override;

 protected:
  Index size() const override { return pattern_.nodes(); }

 private:
  const SparsePattern& pattern_;
  std::unique_ptr<SparseFactor> solver_;
  std::vector<double> diagonal_;  // by node
};

}  // namespace neargp
