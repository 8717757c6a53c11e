#include "linalg/sparse/exact_cholesky.h"

#include <algorithm>
#include <cmath>

#include "linalg/sparse/dense_cholesky.h"
#include "linalg/sparse/inverse_on_factor.h"
#include "linalg/sparse/ordered_cholesky.h"
#include "parallel/parallel_for.h"

namespace neargp {

// The matrix is numbered as the pattern's columns.
struct ExactCholesky::State {
  using Matrix = OrderedCholesky::Matrix;

  Matrix matrix;  // lower triangle
  OrderedCholesky solver;
  Eigen::VectorXd pivots;

  const Matrix& factor() const { return solver.factor(); }
  int row_of(Index column) const { return solver.row_of(column); }
};

ExactCholesky::ExactCholesky(const SparsePattern& pattern) : pattern_(pattern), state_(new State) {
  State::Matrix& matrix = state_->matrix;
  matrix.resize(pattern.nodes(), pattern.nodes());
  Eigen::VectorXi counts(pattern.nodes());
  for (Index j = 0; j < pattern.nodes(); ++j) counts[j] = 1 + pattern.count(j);
  matrix.reserve(counts);
  for (Index j = 0; j < pattern.nodes(); ++j) {
    matrix.insert(j, j) = 1.0;
    for (int entry = 0; entry < pattern.count(j); ++entry) matrix.insert(pattern.rows(j)[entry], j) = 0.0;
  }
  matrix.makeCompressed();
  state_->solver.analyze(matrix);
}

ExactCholesky::~ExactCholesky() = default;

// Eigen's sparse factor, a column at a time, reaches some 2 to 4 Gflop/s, and tiles of dense products 20 to 50. Small
// factors take milliseconds either way.
std::unique_ptr<SparseFactor> exact_factor(const SparsePattern& pattern) {
  constexpr Index fewest = 256, most = 10000;
  constexpr double times_faster = 8.0;
  auto sparse = std::make_unique<ExactCholesky>(pattern);
  const double n = double(pattern.nodes());
  if (pattern.nodes() < fewest || pattern.nodes() > most || times_faster * sparse->work() < n * n * n / 3.0)
    return sparse;
  return std::make_unique<DenseCholesky>(pattern);
}

double ExactCholesky::work() const { return state_->solver.work(); }

bool ExactCholesky::factorize(const double* values, const RunContext&) {
  double* target = state_->matrix.valuePtr();
  for (Index j = 0; j < pattern_.nodes(); ++j)
    target = std::copy_n(values + pattern_.start(j), 1 + pattern_.count(j), target);
  state_->solver.factorize(state_->matrix);
  const Eigen::VectorXd& pivots = state_->pivots = state_->solver.pivots();
  return (pivots.array() > 0.0).all() && pivots.allFinite();
}

double ExactCholesky::log_det() const { return state_->pivots.array().log().sum(); }

void ExactCholesky::inverse(double* values, const RunContext& context) const {
  const InverseOnFactor inverse(state_->factor(), state_->pivots);
  constexpr Index columns_per_chunk = 1024;
  const Index n = pattern_.nodes();
  parallel_for(context, (n + columns_per_chunk - 1) / columns_per_chunk, [&](Index chunk) {
    for (Index j = chunk * columns_per_chunk; j < std::min(n, (chunk + 1) * columns_per_chunk); ++j) {
      double* z = values + pattern_.start(j);
      const int row = state_->row_of(j);
      z[0] = inverse.entry(row, row);
      for (int entry = 0; entry < pattern_.count(j); ++entry)
        z[entry + 1] = inverse.entry(row, state_->row_of(pattern_.rows(j)[entry]));
      std::fill_n(z + 1 + pattern_.count(j), SparsePattern::spare, 0.0);
    }
  });
}

void ExactCholesky::solve(double* x, int columns, const RunContext& context) const {
  const Index n = pattern_.nodes();
  parallel_for(context, columns, [&](Index c) {
    Eigen::VectorXd right(n);
    for (Index j = 0; j < n; ++j) right[j] = x[c * n + pattern_.node(j)];
    const Eigen::VectorXd solution = state_->solver.solve(right);
    for (Index j = 0; j < n; ++j) x[c * n + pattern_.node(j)] = solution[j];
  });
}

// The first row of a column of L is the column's parent in the elimination tree. A column reaches its ancestors.
double ExactCholesky::inverse_quadratic_form(const int* nodes, const double* weights, int count,
                                             Workspace& workspace) const {
  const State::Matrix& factor = state_->factor();
  const int* const start = factor.outerIndexPtr();
  const int* const rows = factor.innerIndexPtr();
  workspace.fit(pattern_.nodes());
  for (int i = 0; i < count; ++i) {
    const int row = state_->row_of(pattern_.column_of(nodes[i]));
    workspace.value[row] += weights[i];
    workspace.columns.insert(row);
  }
  double sum = 0.0;
  for (int row; (row = workspace.columns.take_first()) >= 0;) {
    const double value = workspace.value[row];
    workspace.value[row] = 0.0;
    sum += value * value / state_->pivots[row];
    if (start[row] == start[row + 1]) continue;
    workspace.columns.insert(rows[start[row]]);
    for (int e = start[row]; e < start[row + 1]; ++e) workspace.value[rows[e]] -= factor.valuePtr()[e] * value;
  }
  return sum;
}

}  // namespace neargp
