#include "linalg/sparse/dense_cholesky.h"

#include <algorithm>

#include "base/memory.h"
#include "linalg/product_engine.h"
#include "linalg/tiled_cholesky.h"
#include "parallel/parallel_for.h"

namespace neargp {

bool DenseCholesky::factorize(const double* values, const RunContext& context) {
  const Index n = pattern_.nodes();
  check_memory("An exact factor, its inverse and what they are made of", double(n), 3.0 * double(n));
  lower_ = Eigen::MatrixXd::Zero(n, n);
  for (Index j = 0; j < n; ++j) {
    const double* column = values + pattern_.start(j);
    lower_(j, j) = column[0];
    for (int entry = 0; entry < pattern_.count(j); ++entry) lower_(pattern_.rows(j)[entry], j) = column[entry + 1];
  }
  return tiled_cholesky(lower_, context) && lower_.diagonal().allFinite();
}

double DenseCholesky::log_det() const { return 2.0 * lower_.diagonal().array().log().sum(); }

void DenseCholesky::inverse(double* values, const RunContext& context) const {
  const Eigen::MatrixXd z = tiled_inverse(lower_, context);
  for (Index j = 0; j < pattern_.nodes(); ++j) {
    double* column = values + pattern_.start(j);
    column[0] = z(j, j);
    for (int entry = 0; entry < pattern_.count(j); ++entry) column[entry + 1] = z(pattern_.rows(j)[entry], j);
    std::fill_n(column + 1 + pattern_.count(j), SparsePattern::spare, 0.0);
  }
}

void DenseCholesky::solve(double* x, int columns, const RunContext& context) const {
  const Index n = pattern_.nodes();
  const ConstBlock lower{lower_.data(), n, n, n}, upper{lower_.data(), n, n, n, true};
  parallel_for(context, columns, [&](Index c) {
    Eigen::VectorXd right(n);
    for (Index j = 0; j < n; ++j) right[j] = x[c * n + pattern_.node(j)];
    eigen_engine().solve_left(lower, {right.data(), n, 1, n});
    eigen_engine().solve_left(upper, {right.data(), n, 1, n});
    for (Index j = 0; j < n; ++j) x[c * n + pattern_.node(j)] = right[j];
  });
}

// L^-1 b begins with as many zeros as b.
double DenseCholesky::inverse_quadratic_form(const int* nodes, const double* weights, int count,
                                             Workspace& workspace) const {
  const Index n = pattern_.nodes();
  workspace.fit(n);
  Index first = n;
  for (int i = 0; i < count; ++i) {
    const Index column = pattern_.column_of(nodes[i]);
    workspace.value[column] += weights[i];
    first = std::min(first, column);
  }
  Eigen::Map<Eigen::VectorXd> b(workspace.value.data() + first, n - first);
  eigen_engine().solve_left({lower_.data() + first * (n + 1), n - first, n - first, n},
                            {b.data(), n - first, 1, n - first});
  const double norm = b.squaredNorm();
  b.setZero();
  return norm;
}

}  // namespace neargp
