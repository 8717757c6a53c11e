#include "effects/approximate_inverse.h"

#include <cmath>
#include <numeric>
#include <utility>

namespace neargp {

namespace {

constexpr Index columns_per_chunk = 256;

template <class Body>
void for_each_column(Index columns, const RunContext& context, const Body& body) {
  parallel_for(context, (columns + columns_per_chunk - 1) / columns_per_chunk, [&](Index chunk) {
    for (Index j = chunk * columns_per_chunk; j < std::min(columns, (chunk + 1) * columns_per_chunk); ++j) body(j);
  });
}

// The start of each column's parts, when they follow each other.
std::vector<std::size_t> starts(const std::vector<std::size_t>& counts) {
  std::vector<std::size_t> start(counts.size() + 1);
  std::partial_sum(counts.begin(), counts.end(), start.begin() + 1);
  return start;
}

// The last row of the inverse of the Cholesky factor of a matrix, whose lower triangle by rows is overwritten.
bool last_row_of_inverse(double* c, int size, double* f) {
  const auto row = [&](int i) { return c + i * (i + 1) / 2; };
  for (int i = 0; i < size; ++i) {
    for (int j = 0; j <= i; ++j) {
      double sum = row(i)[j];
      for (int l = 0; l < j; ++l) sum -= row(i)[l] * row(j)[l];
      row(i)[j] = j < i ? sum / row(j)[j] : std::sqrt(sum);
    }
    if (!(row(i)[i] > 0.0 && std::isfinite(row(i)[i]))) return false;
  }
  for (int i = size - 1; i >= 0; --i) {
    double sum = i == size - 1;
    for (int r = i + 1; r < size; ++r) sum -= row(r)[i] * f[r];
    f[i] = sum / row(i)[i];
  }
  return true;
}

}  // namespace

ApproximateInverse::ApproximateInverse(const GramColumns& gram, int most, const RunContext& context)
    : rows_(gram.rows()), rank_(gram.columns()) {
  const std::vector<std::vector<int>> chosen = choose_columns(gram, most, context);
  list_rows(chosen);
  list_pairs(chosen);
  list_occurrences();
}

// Levels that are regions are tied to those around them, and each tie matters. Scattered levels are tied to thousands
// of others about as weakly, and more than a few of these ties are not worth their time. Squares of correlations below
// the weakest are weak.
constexpr int fewest = 4;
constexpr double weakest = 1e-3;

std::vector<std::vector<int>> ApproximateInverse::choose_columns(const GramColumns& gram, int most,
                                                                 const RunContext& context) {
  const int q = gram.columns();
  std::vector<int> order(q);
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return gram.rows_of(a) > gram.rows_of(b); });
  for (int r = 0; r < q; ++r) rank_[order[r]] = r;
  std::vector<double> scale(q, 1.0);
  for (Index t = 0; t < rows_.targets(); ++t)
    for (int a = 0; a < rows_.count(t); ++a) scale[rows_.column(t)[a]] += rows_.entries(t)[a] * rows_.entries(t)[a];
  for (double& own : scale) own = 1.0 / own;
  std::vector<std::vector<int>> chosen(q);
  gram.for_each_sampled(context, [&](int j, const double* sums) {
    std::vector<std::pair<double, int>> ties(most, {0.0, -1});  // the strongest, in descending order
    for (int i = 0; i < q; ++i) {
      const double tie = sums[i] * sums[i] * scale[i];
      if (!(tie > ties.back().first) || !comes_after(j, i)) continue;
      auto place = ties.end() - 1;
      for (; place != ties.begin() && tie > std::prev(place)->first; --place) *place = *std::prev(place);
      *place = {tie, i};
    }
    // `sums` are over some rows, and `scale` over all. A square of a correlation over some rows is smaller by the same
    // share as column j's own sum.
    const double weak = weakest * sums[j] * sums[j] / (1.0 / scale[j] - 1.0);
    while (!ties.empty() && (ties.back().second < 0 || (int(ties.size()) > fewest && ties.back().first < weak)))
      ties.pop_back();
    for (const auto& [tie, column] : ties) chosen[j].push_back(column);
    std::sort(chosen[j].begin(), chosen[j].end(), [&](int a, int b) { return comes_after(b, a); });
    chosen[j].push_back(j);
  });
  return chosen;
}

void ApproximateInverse::list_rows(const std::vector<std::vector<int>>& chosen) {
  std::vector<std::size_t> uses(chosen.size());
  start_.assign(1, 0);
  for (const std::vector<int>& own : chosen) {
    column_.insert(column_.end(), own.begin(), own.end());
    start_.push_back(column_.size());
    for (const int column : own) ++uses[column];
  }
  f_.resize(column_.size());
  use_start_ = starts(uses);
  use_.resize(column_.size());
  use_row_.resize(column_.size());
  use_f_.resize(column_.size());
  std::vector<std::size_t> next(use_start_.begin(), use_start_.end() - 1);
  for (std::size_t j = 0; j < chosen.size(); ++j)
    for (std::size_t a = start_[j]; a < start_[j + 1]; ++a) {
      use_row_[next[column_[a]]] = int(j);
      use_[next[column_[a]]++] = a;
    }
}

void ApproximateInverse::list_pairs(const std::vector<std::vector<int>>& chosen) {
  std::vector<std::vector<int>> partners(chosen.size());
  for (const std::vector<int>& own : chosen)
    for (std::size_t a = 0; a < own.size(); ++a)
      partners[own[a]].insert(partners[own[a]].end(), own.begin(), own.begin() + a + 1);
  pair_start_.assign(1, 0);
  for (std::vector<int>& own : partners) {
    std::sort(own.begin(), own.end());
    own.erase(std::unique(own.begin(), own.end()), own.end());
    pair_column_.insert(pair_column_.end(), own.begin(), own.end());
    pair_start_.push_back(pair_column_.size());
  }
  product_.resize(pair_column_.size());
  square_.resize(chosen.size());
  for (std::size_t j = 0; j < chosen.size(); ++j) own_pair_.push_back(pair_of(int(j), int(j)));
  block_start_.assign(1, 0);
  for (const std::vector<int>& own : chosen) {
    for (std::size_t a = 0; a < own.size(); ++a)
      for (std::size_t b = 0; b <= a; ++b) block_.push_back(pair_of(own[a], own[b]));
    block_start_.push_back(block_.size());
  }
}

int ApproximateInverse::pair_of(int i, int j) const {
  if (comes_after(j, i)) std::swap(i, j);
  const auto first = pair_column_.begin() + pair_start_[i], last = pair_column_.begin() + pair_start_[i + 1];
  const auto found = std::lower_bound(first, last, j);
  return found == last || *found != j ? -1 : int(found - pair_column_.begin());
}

void ApproximateInverse::list_occurrences() {
  std::vector<int> place(rank_.size(), -1);
  occurrence_start_.assign(1, 0);
  for (Index t = 0; t < rows_.targets(); ++t) {
    const int* column = rows_.column(t);
    for (int a = 0; a < rows_.count(t); ++a) place[column[a]] = a;
    for (int a = 0; a < rows_.count(t); ++a)
      for (std::size_t p = pair_start_[column[a]]; p < pair_start_[column[a] + 1]; ++p) {
        const int other = place[pair_column_[p]];
        if (other >= 0 && other != a) occurrence_.push_back({int(p), std::uint16_t(a), std::uint16_t(other)});
      }
    for (int a = 0; a < rows_.count(t); ++a) place[column[a]] = -1;
    occurrence_start_.push_back(occurrence_.size());
  }
}

// C at the pairs.
void ApproximateInverse::add_pairs(std::vector<double>& c) const {
  std::vector<double> squares(rank_.size(), 1.0);
  for (Index t = 0; t < rows_.targets(); ++t) {
    const int* column = rows_.column(t);
    const double* w = rows_.entries(t);
    for (int a = 0; a < rows_.count(t); ++a) squares[column[a]] += w[a] * w[a];
    for (std::size_t o = occurrence_start_[t]; o < occurrence_start_[t + 1]; ++o)
      c[occurrence_[o].pair] += w[occurrence_[o].first] * w[occurrence_[o].second];
  }
  for (std::size_t j = 0; j < rank_.size(); ++j) c[own_pair_[j]] = squares[j];
}

bool ApproximateInverse::factorize(const RunContext& context) {
  std::vector<double> c(product_.size());
  add_pairs(c);
  std::vector<char> failed(rank_.size());
  for_each_column(Index(rank_.size()), context, [&](Index j) {
    std::vector<double> block;
    for (std::size_t e = block_start_[j]; e < block_start_[j + 1]; ++e) block.push_back(c[block_[e]]);
    failed[j] = !last_row_of_inverse(block.data(), int(start_[j + 1] - start_[j]), f_.data() + start_[j]);
  });
  if (std::find(failed.begin(), failed.end(), 1) != failed.end()) return false;
  for (std::size_t a = 0; a < use_.size(); ++a) use_f_[a] = f_[use_[a]];
  find_products();
  return true;
}

void ApproximateInverse::find_products() {
  std::fill(product_.begin(), product_.end(), 0.0);
  const int* pair = block_.data();
  for (std::size_t j = 0; j < rank_.size(); ++j)
    for (std::size_t a = start_[j]; a < start_[j + 1]; ++a)
      for (std::size_t b = start_[j]; b <= a; ++b) product_[*pair++] += f_[a] * f_[b];
  for (std::size_t j = 0; j < rank_.size(); ++j) square_[j] = product_[own_pair_[j]];
}

double ApproximateInverse::log_det() const {
  double sum = 0.0;
  for (std::size_t j = 0; j < rank_.size(); ++j) sum -= 2.0 * std::log(f_[start_[j + 1] - 1]);
  return sum;
}

void ApproximateInverse::multiply(const double* x, int width, double* y, const RunContext& context) const {
  for_each_column(Index(rank_.size()), context, [&](Index j) {
    double* own = y + j * width;
    std::fill_n(own, width, 0.0);
    for (std::size_t a = start_[j]; a < start_[j + 1]; ++a)
      for (int c = 0; c < width; ++c) own[c] += f_[a] * x[Index(column_[a]) * width + c];
  });
}

void ApproximateInverse::multiply_transposed(const double* x, int width, double* y, const RunContext& context) const {
  for_each_column(Index(rank_.size()), context, [&](Index j) {
    double* own = y + j * width;
    std::fill_n(own, width, 0.0);
    for (std::size_t a = use_start_[j]; a < use_start_[j + 1]; ++a)
      for (int c = 0; c < width; ++c) own[c] += use_f_[a] * x[Index(use_row_[a]) * width + c];
  });
}

void ApproximateInverse::multiply_row(Index t, double* h) const {
  const int* column = rows_.column(t);
  const double* w = rows_.entries(t);
  for (int a = 0; a < rows_.count(t); ++a) h[a] = square_[column[a]] * w[a];
  for (std::size_t o = occurrence_start_[t]; o < occurrence_start_[t + 1]; ++o) {
    const Occurrence& own = occurrence_[o];
    h[own.first] += product_[own.pair] * w[own.second];
    h[own.second] += product_[own.pair] * w[own.first];
  }
}

double ApproximateInverse::entry(int i, int j) const {
  const int pair = pair_of(i, j);
  return pair < 0 ? 0.0 : product_[pair];
}

}  // namespace neargp
