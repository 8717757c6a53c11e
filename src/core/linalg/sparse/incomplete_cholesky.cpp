#include "linalg/sparse/incomplete_cholesky.h"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>

#include "linalg/sparse/pair_loops.h"
#include "parallel/parallel_for.h"

namespace neargp {

namespace {

// Share of a sum of squares below which a column of the factor is the end of a path of forward solutions. In trials
// with Matérn fields this share cost 1e-4 of the result, and 7e-4 for smooth fields of long range. It left 300 columns
// to visit of 8000 among 50,000 nodes.
constexpr double negligible = 1e-8;

}  // namespace

IncompleteCholesky::IncompleteCholesky(const SparsePattern& pattern)
    : pattern_(pattern), factor_(pattern.entries(), 0.0) {
  for (Index column = 0; column < pattern.nodes(); ++column) most_rows_ = std::max(most_rows_, pattern.count(column));
}

// Column j, from which the columns before it were subtracted, becomes that of the factor: l_j = x / sqrt(x_jj). Then
// l_pj l_qj is subtracted from the entry (q, p) for all pairs of its rows.
template <class Pair>
bool IncompleteCholesky::eliminate(Index column, const Pair* table) {
  double* l = factor_.data() + pattern_.start(column);
  const double pivot = l[0];
  if (!(pivot > 0.0) || !std::isfinite(pivot)) return false;
  l[0] = std::sqrt(pivot);
  const double inverse = 1.0 / l[0];
  ++l;
  const int count = pattern_.count(column);
  for (int entry = 0; entry < count; ++entry) l[entry] *= inverse;
  std::fill_n(l + count, SparsePattern::spare, 0.0);
  const int* rows = pattern_.rows(column);
  const Pair* place = table + pattern_.pair_start(column);
  for (int entry = 0; entry < count; ++entry) {
    double* target = factor_.data() + pattern_.start(rows[entry]);
    const std::size_t length = pairs::row_length(count - 1 - entry);
    target[0] -= l[entry] * l[entry];
    pairs::subtract(target, place, l + entry + 1, length, l[entry]);
    place += length;
  }
  return true;
}

bool IncompleteCholesky::factorize(const double* values, const RunContext&) {
  std::copy(values, values + pattern_.entries(), factor_.begin());
  return pattern_.with_pairs([&](const auto* table) {
    for (Index column = 0; column < pattern_.nodes(); ++column)
      if (!eliminate(column, table)) return false;
    return true;
  });
}

double IncompleteCholesky::log_det() const {
  double sum = 0.0;
  for (Index column = 0; column < pattern_.nodes(); ++column) sum += std::log(factor_[pattern_.start(column)]);
  return 2.0 * sum;
}

std::vector<double> IncompleteCholesky::log_pivots() const {
  std::vector<double> result(pattern_.nodes());
  for (Index column = 0; column < pattern_.nodes(); ++column)
    result[pattern_.node(column)] = 2.0 * std::log(factor_[pattern_.start(column)]);
  return result;
}

// The adjoint of eliminate(), from the last column to the first. Let t_q = sum_p Z_qp l_pj over the rows p of column j.
// Then Z_qj = -t_q / l_jj and Z_jj = (1 / l_jj - sum_q Z_qj l_qj) / l_jj. Entries that the pattern lacks count as zero.
// For an exact factor these are Takahashi's equations.
template <class Pair>
void IncompleteCholesky::invert(Index column, const Pair* table, double* t, double* values) const {
  const int count = pattern_.count(column);
  const int* rows = pattern_.rows(column);
  const double* l = factor_.data() + pattern_.start(column) + 1;
  const Pair* place = table + pattern_.pair_start(column);
  std::fill(t, t + count + SparsePattern::spare, 0.0);
  for (int entry = 0; entry < count; ++entry) {
    const double* z = values + pattern_.start(rows[entry]);
    const std::size_t length = pairs::row_length(count - 1 - entry);
    t[entry] += z[0] * l[entry] + pairs::gather(z, place, l + entry + 1, t + entry + 1, length, l[entry]);
    place += length;
  }
  double* z = values + pattern_.start(column);
  const double inverse = 1.0 / l[-1];
  double sum = inverse;
  for (int entry = 0; entry < count; ++entry) {
    z[entry + 1] = -t[entry] * inverse;
    sum -= z[entry + 1] * l[entry];
  }
  z[0] = sum * inverse;
  std::fill_n(z + count + 1, SparsePattern::spare, 0.0);
}

void IncompleteCholesky::inverse(double* values, const RunContext&) const {
  pattern_.with_pairs([&](const auto* table) {
    std::vector<double> t(std::size_t(most_rows_ + SparsePattern::spare));
    for (Index column = pattern_.nodes() - 1; column >= 0; --column) {
      if (column > 0) {
        pairs::prefetch(table + pattern_.pair_start(column - 1), table + pattern_.pair_start(column));
        pairs::prefetch(factor_.data() + pattern_.start(column - 1), factor_.data() + pattern_.start(column));
        pairs::prefetch(values + pattern_.start(column - 1), values + pattern_.start(column));
        pairs::prefetch(pattern_.rows(column - 1), pattern_.rows(column));
      }
      invert(column, table, t.data(), values);
    }
  });
}

// Entries of L are read once for all lanes, each a right-hand side.
template <int lanes>
void IncompleteCholesky::solve_together(double* x) const {
  using Lanes = Eigen::Array<double, lanes, 1>;
  const Index n = pattern_.nodes();
  std::vector<Lanes> y(static_cast<std::size_t>(n));
  for (Index j = 0; j < n; ++j)
    for (int c = 0; c < lanes; ++c) y[j][c] = x[c * n + pattern_.node(j)];
  for (Index j = 0; j < n; ++j) {
    const double* l = factor_.data() + pattern_.start(j);
    const int* rows = pattern_.rows(j);
    const Lanes value = y[j] / l[0];
    y[j] = value;
    for (int entry = 0; entry < pattern_.count(j); ++entry) y[rows[entry]] -= l[entry + 1] * value;
  }
  for (Index j = n - 1; j >= 0; --j) {
    const double* l = factor_.data() + pattern_.start(j);
    const int* rows = pattern_.rows(j);
    Lanes value = y[j];
    for (int entry = 0; entry < pattern_.count(j); ++entry) value -= l[entry + 1] * y[rows[entry]];
    y[j] = value / l[0];
  }
  for (Index j = 0; j < n; ++j)
    for (int c = 0; c < lanes; ++c) x[c * n + pattern_.node(j)] = y[j][c];
}

void IncompleteCholesky::solve(double* x, int columns, const RunContext& context) const {
  const Index n = pattern_.nodes(), blocks = columns / together;
  const int left = int(columns % together);
  if (blocks == 0 && left > 1 && context.threads <= 1) {
    if (left >= 4) solve_together<4>(x);
    if (left % 4 >= 2) solve_together<2>(x + left / 4 * 4 * n);
    if (left % 2 == 1) solve_together<1>(x + (left - 1) * n);
    return;
  }
  parallel_for(context, blocks + left, [&](Index part) {
    if (part < blocks) {
      solve_together<together>(x + part * together * n);
    } else {
      solve_together<1>(x + (blocks * together + part - blocks) * n);
    }
  });
}

// The forward solution is made column after column, only where it is not zero. It fades quickly with the distance from
// b, but reaches a good part of all nodes. A column that contributes less than `negligible` of the sum therefore ends
// its path.
double IncompleteCholesky::inverse_quadratic_form(const int* nodes, const double* weights, int count,
                                                  Workspace& workspace) const {
  workspace.fit(pattern_.nodes());
  for (int i = 0; i < count; ++i) {
    const int column = pattern_.column_of(nodes[i]);
    workspace.value[column] += weights[i];
    workspace.columns.insert(column);
  }
  double sum = 0.0;
  for (int column; (column = workspace.columns.take_first()) >= 0;) {
    const double* l = factor_.data() + pattern_.start(column);
    const double value = workspace.value[column] / l[0];
    workspace.value[column] = 0.0;
    sum += value * value;
    if (value * value < negligible * sum) continue;
    const int* rows = pattern_.rows(column);
    for (int entry = 0; entry < pattern_.count(column); ++entry) {
      workspace.value[rows[entry]] -= l[entry + 1] * value;
      workspace.columns.insert(rows[entry]);
    }
  }
  return sum;
}

// The forward solutions of all unit vectors together. A column that one of them reaches gets a row of `count` numbers.
// For each column that is reached and still to be taken, the workspace contains one more than the number of its row.
void IncompleteCholesky::inverse_block(const int* nodes, int count, double* block, Workspace& workspace) const {
  workspace.fit(pattern_.nodes());
  std::vector<double> reached;
  std::size_t rows_used = 0;
  const auto row_of = [&](int column) {
    double& number = workspace.value[column];
    if (number == 0.0) {
      reached.resize(reached.size() + std::size_t(count), 0.0);
      number = double(++rows_used);
      workspace.columns.insert(column);
    }
    return Eigen::Map<Eigen::VectorXd>(reached.data() + (std::size_t(number) - 1) * std::size_t(count), count);
  };
  for (int i = 0; i < count; ++i) row_of(pattern_.column_of(nodes[i]))[i] = 1.0;
  Eigen::Map<Eigen::MatrixXd> inverse(block, count, count);
  inverse.setZero();
  Eigen::VectorXd value(count);
  for (int column; (column = workspace.columns.take_first()) >= 0;) {
    const double* l = factor_.data() + pattern_.start(column);
    value = row_of(column) / l[0];
    workspace.value[column] = 0.0;
    inverse.selfadjointView<Eigen::Lower>().rankUpdate(value);
    if ((value.array().square() < negligible * inverse.diagonal().array()).all()) continue;
    const int* rows = pattern_.rows(column);
    for (int entry = 0; entry < pattern_.count(column); ++entry) row_of(rows[entry]) -= l[entry + 1] * value;
  }
  inverse.triangularView<Eigen::StrictlyUpper>() = inverse.transpose();
}

}  // namespace neargp
