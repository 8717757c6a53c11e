#include "linalg/sparse/ordered_cholesky.h"

#include <vector>

#include "base/error.h"

namespace neargp {

namespace {

// Sums over the columns of a factor of the numbers of their entries below the diagonal, and of the squares of these.
struct FactorSize {
  double entries = 0.0, work = 0.0;
};

// Uses the upper triangle of the matrix. Where the work is above `most`, the sums are those of a part of the rows. The
// entries of row k are the nodes on the paths in the elimination tree to node k from the entries of column k of the
// matrix (Liu 1990).
FactorSize factor_size(const OrderedCholesky::Matrix& upper, double most) {
  const int q = int(upper.cols());
  std::vector<int> parent(q, -1), seen(q, -1), count(q);
  FactorSize size;
  for (int k = 0; k < q && size.work <= most; ++k) {
    seen[k] = k;
    for (OrderedCholesky::Matrix::InnerIterator entry(upper, k); entry; ++entry)
      for (int i = int(entry.index()); seen[i] != k; i = parent[i]) {
        if (parent[i] < 0) parent[i] = k;
        seen[i] = k;
        size.work += 2.0 * count[i]++ + 1.0;
        size.entries += 1.0;
      }
  }
  return size;
}

}  // namespace

bool OrderedCholesky::analyze(const Matrix& matrix, double most_work) {
  Eigen::PermutationMatrix<Eigen::Dynamic, Eigen::Dynamic, int> column_of_row;
  Eigen::AMDOrdering<int>()(matrix.selfadjointView<Eigen::Lower>(), column_of_row);
  order_ = column_of_row.inverse();
  const Matrix upper = permuted(matrix);
  const FactorSize size = factor_size(upper, most_work);
  work_ = size.work;
  if (work_ > most_work) return false;
  if (size.entries > std::numeric_limits<int>::max())
    throw Error("An exact factor would have more than 2^31 - 1 entries: take an incomplete one.");
  solver_.analyzePattern(upper);
  return true;
}

OrderedCholesky::Matrix OrderedCholesky::permuted(const Matrix& matrix) const {
  Matrix upper(matrix.rows(), matrix.cols());
  upper.selfadjointView<Eigen::Upper>() = matrix.selfadjointView<Eigen::Lower>().twistedBy(order_);
  return upper;
}

}  // namespace neargp
