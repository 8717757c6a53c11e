#include "effects/sparse_effect_system.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "base/memory.h"

namespace neargp {

SparseEffectSystem::SparseEffectSystem(const EffectRows& rows, double most_work)
    : rows_(rows), is_affordable_(list_entries(most_work) && solver_.analyze(matrix_, most_work)) {}

// The columns after column j that share a row with it are in the rows of W that contain j. A factor contains all
// entries of the matrix. The squares of the numbers in columns add up to no less than q times the square of their mean.
bool SparseEffectSystem::list_entries(double most_work) {
  const int q = rows_.columns();
  std::vector<std::size_t> start(std::size_t(q) + 1);
  for (Index t = 0; t < rows_.targets(); ++t)
    for (int a = 0; a < rows_.count(t); ++a) ++start[rows_.column(t)[a] + 1];
  for (int j = 0; j < q; ++j) start[j + 1] += start[j];
  std::vector<int> row(start.back());
  std::vector<std::size_t> next(start.begin(), start.end() - 1);
  for (Index t = 0; t < rows_.targets(); ++t)
    for (int a = 0; a < rows_.count(t); ++a) row[next[rows_.column(t)[a]]++] = int(t);

  std::vector<int> seen(q, -1), below, inner, outer{0};
  for (int j = 0; j < q; ++j) {
    below.assign(1, j);
    seen[j] = j;
    for (std::size_t r = start[j]; r < start[j + 1]; ++r) {
      const int* column = rows_.column(row[r]);
      const int* end = column + rows_.count(row[r]);
      for (const int* other = std::upper_bound(column, end, j); other != end; ++other)
        if (seen[*other] != j) {
          seen[*other] = j;
          below.push_back(*other);
        }
    }
    std::sort(below.begin(), below.end());
    inner.insert(inner.end(), below.begin(), below.end());
    const double off_diagonal = double(inner.size()) - (j + 1.0);
    if (off_diagonal * off_diagonal > most_work * q) return false;
    outer.push_back(int(inner.size()));
  }
  const std::vector<double> zeros(inner.size());
  matrix_ = Eigen::Map<const Matrix>(q, q, Index(inner.size()), outer.data(), inner.data(), zeros.data());
  return true;
}

void SparseEffectSystem::list_pairs() {
  pair_start_.assign(1, 0);
  for (Index t = 0; t < rows_.targets(); ++t)
    pair_start_.push_back(pair_start_.back() + std::size_t(rows_.count(t)) * (rows_.count(t) + 1) / 2);
  check_memory("The table of pairs of random effects", double(pair_start_.back()), 1.0, sizeof(int));
  pair_entry_.reserve(pair_start_.back());
  for (Index t = 0; t < rows_.targets(); ++t)
    for (int a = 0; a < rows_.count(t); ++a)
      for (int b = 0; b <= a; ++b)
        pair_entry_.push_back(InverseOnFactor::place(matrix_, rows_.column(t)[a], rows_.column(t)[b]));
}

bool SparseEffectSystem::factorize(const RunContext&) {
  if (pair_start_.empty()) list_pairs();
  double* value = matrix_.valuePtr();
  std::fill_n(value, matrix_.nonZeros(), 0.0);
  for (Index j = 0; j < matrix_.cols(); ++j) value[matrix_.outerIndexPtr()[j]] = 1.0;
  const int* entry = pair_entry_.data();
  for (Index t = 0; t < rows_.targets(); ++t) {
    const double* w = rows_.entries(t);
    for (int a = 0; a < rows_.count(t); ++a)
      for (int b = 0; b <= a; ++b) value[*entry++] += w[a] * w[b];
  }
  solver_.factorize(matrix_);
  pivots_ = solver_.pivots();
  if (place_.empty()) list_places();
  return (pivots_.array() > 0.0).all() && pivots_.allFinite();
}

void SparseEffectSystem::list_places() {
  for (Index j = 0; j < matrix_.cols(); ++j)
    for (int e = matrix_.outerIndexPtr()[j]; e < matrix_.outerIndexPtr()[j + 1]; ++e) {
      const int a = solver_.row_of(matrix_.innerIndexPtr()[e]), b = solver_.row_of(j);
      place_.push_back(a == b ? -1 - a : InverseOnFactor::place(solver_.factor(), a, b));
    }
}

double SparseEffectSystem::log_det() const { return pivots_.array().log().sum(); }

bool SparseEffectSystem::solve(Eigen::MatrixXd& x) {
  x = solver_.solve(x);
  return true;
}

void SparseEffectSystem::invert(const RunContext&) {
  inverse_ = std::make_unique<InverseOnFactor>(solver_.factor(), pivots_);
}

void SparseEffectSystem::multiply_inverse(Index t, double* h) const {
  const double* w = rows_.entries(t);
  const double* below = inverse_->below.valuePtr();
  std::fill_n(h, rows_.count(t), 0.0);
  const int* entry = pair_entry_.data() + pair_start_[t];
  for (int a = 0; a < rows_.count(t); ++a)
    for (int b = 0; b <= a; ++b) {
      const int place = place_[*entry++];
      const double p = place < 0 ? inverse_->diagonal[-1 - place] : below[place];
      h[a] += p * w[b];
      if (b < a) h[b] += p * w[a];
    }
}

double SparseEffectSystem::inverse(int i, int j) const {
  const int* const row = matrix_.innerIndexPtr();
  const int* const start = matrix_.outerIndexPtr();
  const int first = std::min(i, j);
  if (!std::binary_search(row + start[first], row + start[first + 1], std::max(i, j))) return 0.0;
  return inverse_->entry(solver_.row_of(i), solver_.row_of(j));
}

// The first row of a column of the factor is the column's parent in the elimination tree. A column reaches its
// ancestors.
double SparseEffectSystem::inverse_form(const int* column, const double* x, int count) const {
  const Matrix& factor = solver_.factor();
  const int* const start = factor.outerIndexPtr();
  const int* const rows = factor.innerIndexPtr();
  thread_local std::vector<double> value;
  value.resize(std::max(value.size(), std::size_t(rows_.columns())), 0.0);
  std::set<int> reached;
  for (int i = 0; i < count; ++i) {
    value[solver_.row_of(column[i])] += x[i];
    reached.insert(solver_.row_of(column[i]));
  }
  double sum = 0.0;
  while (!reached.empty()) {
    const int row = *reached.begin();
    reached.erase(reached.begin());
    const double own = value[row];
    value[row] = 0.0;
    sum += own * own / pivots_[row];
    if (start[row] == start[row + 1]) continue;
    reached.insert(rows[start[row]]);
    for (int e = start[row]; e < start[row + 1]; ++e) value[rows[e]] -= factor.valuePtr()[e] * own;
  }
  return sum;
}

}  // namespace neargp
