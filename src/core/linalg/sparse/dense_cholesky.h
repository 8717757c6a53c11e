// Exact Cholesky factor of a matrix on a SparsePattern whose sparse factor would be nearly full, as with nearest
// neighbours in many dimensions. It uses products of dense tiles, which do many times more operations a second than the
// columns of a sparse factor. Memory and work are those of the full matrix, and suit some thousand nodes.
#pragma once

#include <Eigen/Core>

#include "linalg/sparse/sparse_factor.h"

namespace neargp {

class DenseCholesky : public SparseFactor {
 public:
  // The pattern outlives the factor.
  explicit DenseCholesky(const SparsePattern& pattern) : pattern_(pattern) {}

  bool factorize(const double* values, const RunContext& context) override;
  double log_det() const override;
  void inverse(double* values, const RunContext& context) const override;
  void solve(double* x, int columns, const RunContext& context) const override;
  double inverse_quadratic_form(const int* nodes, const double* weights, int count,
                                Workspace& workspace) const override;

 protected:
  Index size() const override { return pattern_.nodes(); }

 private:
  const SparsePattern& pattern_;
  Eigen::MatrixXd lower_;  // rows and columns in the pattern's order
};

}  // namespace neargp
