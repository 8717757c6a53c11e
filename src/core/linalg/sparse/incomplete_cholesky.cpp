#include "linalg/sparse/incomplete_cholesky.h"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>

#include "linalg/sparse/block_arithmetic.h"
#include "parallel/parallel_for.h"

namespace neargp {

namespace {

// Share of a sum of squares below which a column of the factor is the end of a path of forward solutions. In trials
// with Matérn fields this share cost 1e-4 of the result, and 7e-4 for smooth fields of long range. It left 300 columns
// to visit of 8000 among 50,000 nodes.
constexpr double negligible = 1e-8;

}  // namespace

template <int unknowns>
IncompleteBlocks<unknowns>::IncompleteBlocks(const SparsePattern& pattern)
    : pattern_(pattern), factor_(pattern.entries() * area, 0.0) {
  for (Index column = 0; column < pattern.nodes(); ++column) most_rows_ = std::max(most_rows_, pattern.count(column));
}

// Column j, from which the columns before it were subtracted, becomes that of the factor. Its diagonal entry becomes
// its Cholesky factor L_jj, a square root for numbers, and its other entries l_pj = x_pj L_jj^-T. Then l_qj l_pj' is
// subtracted from the entry (q, p) for all pairs of its rows.
template <int unknowns>
template <class Pair>
bool IncompleteBlocks<unknowns>::eliminate(Index column, const Pair* table) {
  double* l = factor_.data() + pattern_.start(column) * area;
  if (!Arithmetic::factorize(l)) return false;
  const auto inverse = Arithmetic::inverse(l);
  l += area;
  const int count = pattern_.count(column);
  for (int entry = 0; entry < count; ++entry) Arithmetic::divide(l + std::size_t(entry) * area, inverse);
  std::fill_n(l + std::size_t(count) * area, SparsePattern::spare * area, 0.0);
  const int* rows = pattern_.rows(column);
  const Pair* place = table + pattern_.pair_start(column);
  for (int entry = 0; entry < count; ++entry) {
    double* target = factor_.data() + pattern_.start(rows[entry]) * area;
    const int pairs = count - 1 - entry;
    Arithmetic::subtract_square(target, l);
    Arithmetic::subtract(target, place, l + area, pairs, l);
    place += pairs::row_length(pairs);
    l += area;
  }
  return true;
}

template <int unknowns>
bool IncompleteBlocks<unknowns>::factorize(const double* values, const RunContext&) {
  std::copy(values, values + pattern_.entries() * area, factor_.begin());
  return pattern_.with_pairs([&](const auto* table) {
    for (Index column = 0; column < pattern_.nodes(); ++column)
      if (!eliminate(column, table)) return false;
    return true;
  });
}

template <int unknowns>
double IncompleteBlocks<unknowns>::log_det() const {
  double sum = 0.0;
  for (Index column = 0; column < pattern_.nodes(); ++column)
    sum += Arithmetic::log_det(factor_.data() + pattern_.start(column) * area);
  return 2.0 * sum;
}

template <int unknowns>
std::vector<double> IncompleteBlocks<unknowns>::log_pivots() const {
  std::vector<double> result(static_cast<std::size_t>(size()));
  for (Index column = 0; column < pattern_.nodes(); ++column)
    for (int r = 0; r < unknowns; ++r)
      result[r * pattern_.nodes() + pattern_.node(column)] =
          2.0 * std::log(factor_[pattern_.start(column) * area + std::size_t(r * (unknowns + 1))]);
  return result;
}

// The adjoint of eliminate(), from the last column to the first. Let t_q = sum_p Z_qp l_pj over the rows p of column j.
// Then Z_qj = -t_q L_jj^-1 and Z_jj = (L_jj^-T - sum_q Z_qj' l_qj) L_jj^-1. Entries that the pattern lacks count as
// zero. For an exact factor these are Takahashi's equations.
template <int unknowns>
template <class Pair>
void IncompleteBlocks<unknowns>::invert(Index column, const Pair* table, double* t, double* values) const {
  const int count = pattern_.count(column);
  const int* rows = pattern_.rows(column);
  const double* const diagonal = factor_.data() + pattern_.start(column) * area;
  const double* const l = diagonal + area;
  const Pair* place = table + pattern_.pair_start(column);
  std::fill(t, t + std::size_t(count + SparsePattern::spare) * area, 0.0);
  for (int entry = 0; entry < count; ++entry) {
    const std::size_t next = std::size_t(entry + 1) * area;
    const int pairs = count - 1 - entry;
    Arithmetic::gather(values + pattern_.start(rows[entry]) * area, place, l + next, t + next, pairs);
    place += pairs::row_length(pairs);
  }
  double* z = values + pattern_.start(column) * area;
  const auto inverse = Arithmetic::inverse(diagonal);
  auto rest = Arithmetic::first_rest(inverse);
  for (int entry = 0; entry < count; ++entry) {
    const std::size_t at = std::size_t(entry) * area;
    Arithmetic::entry_of_inverse(z + at + area, t + at, inverse, l + at, rest);
  }
  Arithmetic::diagonal_of_inverse(z, rest, inverse);
  std::fill_n(z + std::size_t(count + 1) * area, SparsePattern::spare * area, 0.0);
}

template <int unknowns>
void IncompleteBlocks<unknowns>::inverse(double* values, const RunContext&) const {
  pattern_.with_pairs([&](const auto* table) {
    std::vector<double> t(std::size_t(most_rows_ + SparsePattern::spare) * area);
    for (Index column = pattern_.nodes() - 1; column >= 0; --column) {
      if (column > 0) {
        const std::size_t from = pattern_.start(column - 1) * area, to = pattern_.start(column) * area;
        pairs::prefetch(table + pattern_.pair_start(column - 1), table + pattern_.pair_start(column));
        pairs::prefetch(factor_.data() + from, factor_.data() + to);
        pairs::prefetch(values + from, values + to);
        pairs::prefetch(pattern_.rows(column - 1), pattern_.rows(column));
      }
      invert(column, table, t.data(), values);
    }
  });
}

// Entries of L are read once for all lanes, each a right-hand side.
template <int unknowns>
template <int lanes>
void IncompleteBlocks<unknowns>::solve_together(double* x) const {
  using Lanes = Eigen::Array<double, lanes, unknowns>;
  const Index n = pattern_.nodes();
  std::vector<Lanes> y(static_cast<std::size_t>(n));
  for (Index j = 0; j < n; ++j)
    for (int r = 0; r < unknowns; ++r)
      for (int c = 0; c < lanes; ++c) y[j](c, r) = x[(c * unknowns + r) * n + pattern_.node(j)];
  for (Index j = 0; j < n; ++j) {
    const double* l = factor_.data() + pattern_.start(j) * area;
    const int* rows = pattern_.rows(j);
    Lanes value = y[j];
    Arithmetic::solve_lower(l, value);
    y[j] = value;
    for (int entry = 0; entry < pattern_.count(j); ++entry)
      Arithmetic::subtract_forward(y[rows[entry]], l + std::size_t(entry + 1) * area, value);
  }
  for (Index j = n - 1; j >= 0; --j) {
    const double* l = factor_.data() + pattern_.start(j) * area;
    const int* rows = pattern_.rows(j);
    Lanes value = y[j];
    for (int entry = 0; entry < pattern_.count(j); ++entry)
      Arithmetic::subtract_backward(value, l + std::size_t(entry + 1) * area, y[rows[entry]]);
    Arithmetic::solve_upper(l, value);
    y[j] = value;
  }
  for (Index j = 0; j < n; ++j)
    for (int r = 0; r < unknowns; ++r)
      for (int c = 0; c < lanes; ++c) x[(c * unknowns + r) * n + pattern_.node(j)] = y[j](c, r);
}

template <int unknowns>
void IncompleteBlocks<unknowns>::solve(double* x, int columns, const RunContext& context) const {
  const Index n = size(), blocks = columns / together;
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
template <int unknowns>
double IncompleteBlocks<unknowns>::inverse_quadratic_form(const int* nodes, const double* weights, int count,
                                                          Workspace& workspace) const {
  using Unknowns = Eigen::Array<double, 1, unknowns>;
  workspace.fit(size());
  const auto value_at = [&](int column) {
    return Eigen::Map<Unknowns>(workspace.value.data() + std::size_t(column) * unknowns);
  };
  for (int i = 0; i < count; ++i) {
    const int column = pattern_.column_of(place_of(nodes[i]));
    value_at(column)[field_of(nodes[i])] += weights[i];
    workspace.columns.insert(column);
  }
  double sum = 0.0;
  for (int column; (column = workspace.columns.take_first()) >= 0;) {
    const double* l = factor_.data() + pattern_.start(column) * area;
    Unknowns value = value_at(column);
    Arithmetic::solve_lower(l, value);
    value_at(column).setZero();
    const double square = value.square().sum();
    sum += square;
    if (square < negligible * sum) continue;
    const int* rows = pattern_.rows(column);
    for (int entry = 0; entry < pattern_.count(column); ++entry) {
      auto row = value_at(rows[entry]);
      Arithmetic::subtract_forward(row, l + std::size_t(entry + 1) * area, value);
      workspace.columns.insert(rows[entry]);
    }
  }
  return sum;
}

// The forward solutions of all unit vectors together. A column that one of them reaches gets a row of `count` numbers
// for each unknown. For each column that is reached and still to be taken, the workspace contains one more than the
// number of its rows.
template <int unknowns>
void IncompleteBlocks<unknowns>::inverse_block(const int* nodes, int count, double* block, Workspace& workspace) const {
  using Unknowns = Eigen::Matrix<double, Eigen::Dynamic, unknowns>;
  workspace.fit(size());
  std::vector<double> reached;
  std::size_t rows_used = 0;
  const auto row_of = [&](int column) {
    double& number = workspace.value[std::size_t(column)];
    if (number == 0.0) {
      reached.resize(reached.size() + std::size_t(count) * unknowns, 0.0);
      number = double(++rows_used);
      workspace.columns.insert(column);
    }
    return Eigen::Map<Unknowns>(reached.data() + (std::size_t(number) - 1) * std::size_t(count) * unknowns, count,
                                unknowns);
  };
  for (int i = 0; i < count; ++i) row_of(pattern_.column_of(place_of(nodes[i])))(i, field_of(nodes[i])) = 1.0;
  Eigen::Map<Eigen::MatrixXd> inverse(block, count, count);
  inverse.setZero();
  Unknowns value(count, unknowns);
  for (int column; (column = workspace.columns.take_first()) >= 0;) {
    const double* l = factor_.data() + pattern_.start(column) * area;
    value = row_of(column);
    Arithmetic::solve_lower(l, value);
    workspace.value[std::size_t(column)] = 0.0;
    inverse.selfadjointView<Eigen::Lower>().rankUpdate(value);
    const auto squares = value.array().square().rowwise().sum();
    if ((squares < negligible * inverse.diagonal().array()).all()) continue;
    const int* rows = pattern_.rows(column);
    for (int entry = 0; entry < pattern_.count(column); ++entry) {
      auto row = row_of(rows[entry]);
      Arithmetic::subtract_forward(row, l + std::size_t(entry + 1) * area, value);
    }
  }
  inverse.triangularView<Eigen::StrictlyUpper>() = inverse.transpose();
}

template class IncompleteBlocks<1>;
template class IncompleteBlocks<2>;
template class IncompleteBlocks<3>;
template class IncompleteBlocks<4>;
template class IncompleteBlocks<5>;
template class IncompleteBlocks<6>;

std::unique_ptr<SparseFactor> incomplete_factor(const SparsePattern& pattern) {
  return with_block_size(pattern.unknowns(), [&](auto size) -> std::unique_ptr<SparseFactor> {
    return std::make_unique<IncompleteBlocks<size()>>(pattern);
  });
}

}  // namespace neargp
