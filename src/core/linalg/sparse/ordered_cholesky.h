// P A P' = L D L' of a sparse symmetric matrix, by Eigen, with an approximate minimum degree ordering P. L is unit
// lower triangular, its diagonal is not stored, and the rows of its columns are ascending. Eigen's solvers that order
// themselves cannot report how much work a factor is before they allocate memory for it.
#pragma once

#include <Eigen/SparseCholesky>
#include <limits>

#include "base/types.h"

namespace neargp {

class OrderedCholesky {
 public:
  using Matrix = Eigen::SparseMatrix<double, Eigen::ColMajor, int>;

  // Returns false, and allocates no memory for the factor, where a factorisation takes more than `most_work`
  // multiplications. Matrices here are lower triangles. Throws an Error where the factor has more entries than an int
  // can count.
  bool analyze(const Matrix& matrix, double most_work = std::numeric_limits<double>::infinity());
  double work() const { return work_; }

  void factorize(const Matrix& matrix) { solver_.factorize(permuted(matrix)); }
  Eigen::VectorXd pivots() const { return solver_.vectorD(); }
  const Matrix& factor() const { return solver_.matrixL().nestedExpression(); }
  int row_of(Index column) const { return order_.indices()[column]; }

  template <class X>
  X solve(const X& x) const {
    const X solution = solver_.solve(order_ * x);
    return order_.inverse() * solution;
  }

 private:
  Matrix permuted(const Matrix& matrix) const;

  Eigen::PermutationMatrix<Eigen::Dynamic, Eigen::Dynamic, int> order_;
  Eigen::SimplicialLDLT<Matrix, Eigen::Upper, Eigen::NaturalOrdering<int>> solver_;
  double work_ = 0.0;
};

}  // namespace neargp
