// C = I + W'W with a sparse factor in an approximate minimum degree ordering, and P on the pattern of the factor, which
// has every two columns of a row of W.
#pragma once

#include <Eigen/SparseCholesky>
#include <cstddef>
#include <memory>
#include <vector>

#include "effects/effect_system.h"
#include "linalg/sparse/inverse_on_factor.h"

namespace neargp {

class SparseEffectSystem : public EffectSystem {
 public:
  // The rows outlive the object.
  explicit SparseEffectSystem(const EffectRows& rows);

  // Multiplications of a factorisation.
  double work() const { return solver_.work(); }

  bool factorize(const RunContext& context) override;
  double log_det() const override;
  void solve(Eigen::MatrixXd& x, const RunContext& context) const override;
  void invert(const RunContext& context) override;
  void multiply_inverse(Index t, double* h) const override;
  double inverse(int i, int j) const override;
  double inverse_form(const int* column, const double* x, int count) const override;

 private:
  using Matrix = Eigen::SparseMatrix<double, Eigen::ColMajor, int>;

  struct Solver : Eigen::SimplicialLDLT<Matrix, Eigen::Lower> {
    // Squares of the numbers of entries of columns, before the first factorisation.
    double work() const { return m_nonZerosPerCol.cast<double>().squaredNorm(); }
    const Matrix& factor() const { return matrixL().nestedExpression(); }
    int row_of(Index column) const { return permutationP().indices()[column]; }
  };

  void list_entries();
  void list_pairs();
  void list_places();

  const EffectRows& rows_;
  Matrix matrix_;  // lower triangle
  Solver solver_;
  Eigen::VectorXd pivots_;
  std::vector<std::size_t> pair_start_;  // of row t, whose pairs are (a, b), b <= a, one after the other
  std::vector<int> pair_entry_;          // which entry of the matrix a pair is
  std::vector<int> place_;               // where that is in the factor; -1 - row on its diagonal
  std::unique_ptr<InverseOnFactor> inverse_;
};

}  // namespace neargp
