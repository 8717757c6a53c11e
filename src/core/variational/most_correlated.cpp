#include "variational/most_correlated.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "parallel/parallel_for.h"
#include "variational/neighbor_users.h"
#include "variational/residual_covariance.h"

namespace neargp {

namespace {

constexpr Index selection_chunk_rows = 256;
constexpr double nothing_left = 1e-8;  // of the field's variance

class Selection {
 public:
  Selection(const ResidualRows& rows, const ResidualRows& queries, const NeighborTable& candidates, int k)
      : rows_(rows), queries_(queries), candidates_(candidates), k_(k), places_(rows.covariance(), candidates.k) {}

  void select(Index i, int* selected) {
    const int* candidate = candidates_[i];
    const int count = neighbor_count(candidates_, i), wanted = std::min(k_, count);
    const double least = nothing_left * rows_.covariance().variance;
    if (wanted == count || queries_.unexplained(i) < least) {
      std::copy_n(candidate, wanted, selected);
      return;
    }
    places_.clear();
    for (int a = 0; a < count; ++a) places_.add(rows_, candidate[a]);
    places_.fill_column(queries_, i, covariances_);
    correlation_.assign(std::size_t(count), 0.0);
    for (int a = 0; a < count; ++a) {
      const double variance = rows_.unexplained(candidate[a]);
      if (variance >= least) correlation_[a] = std::abs(covariances_[a]) / std::sqrt(variance);
    }
    order_.resize(std::size_t(count));
    std::iota(order_.begin(), order_.end(), 0);
    std::partial_sort(order_.begin(), order_.begin() + wanted, order_.end(), [&](int a, int b) {
      return correlation_[a] > correlation_[b] || (correlation_[a] == correlation_[b] && a < b);
    });
    for (int a = 0; a < wanted; ++a) selected[a] = candidate[order_[a]];
  }

 private:
  const ResidualRows& rows_;
  const ResidualRows& queries_;
  const NeighborTable& candidates_;
  int k_;
  ResidualCovariance places_;
  Eigen::VectorXd covariances_;
  std::vector<double> correlation_;
  std::vector<int> order_;
};

}  // namespace

NeighborTable most_correlated(const ResidualRows& rows, const ResidualRows& queries, const NeighborTable& candidates,
                              int k, const RunContext& context) {
  NeighborTable selected(candidates.n, k);
  parallel_for(context, (candidates.n + selection_chunk_rows - 1) / selection_chunk_rows, [&](Index chunk) {
    Selection selection(rows, queries, candidates, k);
    for (Index i = chunk * selection_chunk_rows; i < std::min((chunk + 1) * selection_chunk_rows, candidates.n); ++i)
      selection.select(i, selected[i]);
  });
  return selected;
}

}  // namespace neargp
