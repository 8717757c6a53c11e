// Entries of the inverse of a sparse positive definite matrix A = L D L' on the pattern of L. L is unit lower
// triangular, its diagonal is not stored, and the rows of its columns are ascending. Columns follow from the last to
// the first (Takahashi, Fagan and Chin 1973). With sums over the rows p, q of column j,
//
//   Z_qj = -sum_p Z_qp l_pj   and   Z_jj = 1/d_j - sum_q Z_qj l_qj.
//
// The first sum runs over all entries of the columns q. `l_` is zero in rows that column j lacks, and values of `t_` in
// these rows are discarded.
#pragma once

#include <Eigen/SparseCore>
#include <algorithm>

namespace neargp {

struct InverseOnFactor {
  using Matrix = Eigen::SparseMatrix<double, Eigen::ColMajor, int>;

  Matrix below;
  Eigen::VectorXd diagonal;

  InverseOnFactor(const Matrix& factor, const Eigen::VectorXd& pivots)
      : below(factor), diagonal(pivots.size()), l_(Eigen::VectorXd::Zero(pivots.size())), t_(l_) {
    for (Eigen::Index j = pivots.size() - 1; j >= 0; --j) make_column(j, 1.0 / pivots[j]);
  }

  // The entry of two rows of the factor, one in the column of the other.
  double entry(int a, int b) const { return a == b ? diagonal[a] : below.valuePtr()[place(below, a, b)]; }

  // The position of that entry among those of the factor.
  static int place(const Matrix& factor, int a, int b) {
    const int column = std::min(a, b);
    const int* const row = factor.innerIndexPtr();
    return int(std::lower_bound(row + factor.outerIndexPtr()[column], row + factor.outerIndexPtr()[column + 1],
                                std::max(a, b)) -
               row);
  }

 private:
  void make_column(Eigen::Index j, double inverse_pivot) {
    const int* const start = below.outerIndexPtr();
    const int* const row = below.innerIndexPtr();
    double* const value = below.valuePtr();
    for (int i = start[j]; i < start[j + 1]; ++i) l_[row[i]] = value[i];
    for (int i = start[j]; i < start[j + 1]; ++i) {
      const int q = row[i];
      double sum = diagonal[q] * l_[q];
      for (int e = start[q]; e < start[q + 1]; ++e) {
        sum += value[e] * l_[row[e]];
        t_[row[e]] += value[e] * l_[q];
      }
      t_[q] += sum;
    }
    diagonal[j] = inverse_pivot;
    for (int i = start[j]; i < start[j + 1]; ++i) {
      diagonal[j] += t_[row[i]] * l_[row[i]];
      value[i] = -t_[row[i]];
    }
    for (int i = start[j]; i < start[j + 1]; ++i) {
      const int q = row[i];
      t_[q] = l_[q] = 0.0;
      for (int e = start[q]; e < start[q + 1]; ++e) t_[row[e]] = 0.0;
    }
  }

  Eigen::VectorXd l_, t_;
};

}  // namespace neargp
