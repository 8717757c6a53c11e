#include "variational/residual_weights_adjoint.h"

#include <cmath>

#include "base/memory.h"
#include "linalg/column_products.h"
#include "linalg/products.h"
#include "variational/sum_rows.h"

namespace neargp {

namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr Index adjoint_chunk_rows = 128;

// L^-T L^-1 x in place, L stored column by column.
void solve_packed(const double* packed, int count, double* x) {
  const double* column = packed;
  for (int j = 0; j < count; column += count - j, ++j) {
    x[j] /= column[0];
    for (int i = j + 1; i < count; ++i) x[i] -= column[i - j] * x[j];
  }
  for (int j = count - 1; j >= 0; --j) {
    column -= count - j;
    for (int i = j + 1; i < count; ++i) x[j] -= column[i - j] * x[i];
    x[j] /= column[0];
  }
}

}  // namespace

// The state that runs through the chunks of the second pass.
struct ResidualWeightsAdjoint::PriorSums {
  InducingGradient gradient;
  MatrixXd gram;  // Abar A'

  void add(const PriorSums& other) {
    gradient.add(other.gradient);
    gram += other.gram;
  }
};

ResidualWeightsAdjoint::ResidualWeightsAdjoint(const ResidualRows& rows, const VectorXd& noise,
                                               const NeighborTable& neighbors, const WhitenedRows& whitened)
    : rows_(rows), noise_(noise), neighbors_(neighbors), whitened_(whitened), users_(neighbors) {
  const Index n = rows.size(), k = neighbors.k;
  check_memory("The derivatives in all rows' features", double(n), double(rows.stride()));
  feature_bars_.setZero(rows.stride(), n);
  covariance_bars_.setZero(k + 1, n);
}

int ResidualWeightsAdjoint::gather(Index i, ResidualCovariance& places) const {
  const int count = neighbor_count(neighbors_, i);
  places.clear();
  for (int a = 0; a < count; ++a) places.add(rows_, neighbors_[i][a]);
  places.add(rows_, i);
  return count;
}

void ResidualWeightsAdjoint::add_row(Index i, ResidualCovariance& places, double q, const double* p,
                                     InducingGradient& gradient) {
  const int count = places.count() - 1;
  VectorXd b(count + 1);
  b.head(count) = whitened_.weights.col(i).head(count);
  b[count] = -1.0;
  auto g = covariance_bars_.col(i);
  solve_packed(whitened_.factors.col(i).data(), count, g.data());
  g.head(count) -= q * b.head(count);
  g[count] = q;
  if (p) feature_bars_.col(i) = -Eigen::Map<const VectorXd>(p, rows_.stride());
  column_kernels().add_combination(places.features(), count + 1, rows_.stride(), g.data(), feature_bars_.col(i).data());
  places.contract(g.data(), b.data(), gradient.parameters);
  for (int a = 0; a < count; ++a) gradient.parameters.back() -= g[a] * b[a] * noise_[neighbors_[i][a]];
  gradient.parameters.back() += q * noise_[i];
}

void ResidualWeightsAdjoint::add_features(const MatrixXd* feature_bars, InducingGradient& gradient,
                                          const RunContext& context) const {
  const InducingFactor& prior = rows_.factor();
  const Index m = prior.points().size();
  const PriorSums zero{prior.points().zero_gradient(), MatrixXd::Zero(m, m)};
  const PriorSums through =
      sum_rows(rows_.size(), adjoint_chunk_rows, m * m, context, zero,
               [&](Index first, Index last, PriorSums& sum) { add_features(first, last, feature_bars, sum); });
  gradient.add(through.gradient);
  prior.adjoint(through.gram, gradient);
}

void ResidualWeightsAdjoint::add_features(Index first, Index last, const MatrixXd* feature_bars, PriorSums& sum) const {
  MatrixXd bars(rows_.stride(), last - first);
  std::vector<const double*> columns;
  std::vector<double> weights;
  for (Index j = first; j < last; ++j) {
    columns.clear();
    weights.clear();
    const auto use = [&](Index i, double in_b, double in_g) {
      columns.insert(columns.end(), {feature_bars_.col(i).data(), whitened_.features.col(i).data()});
      weights.insert(weights.end(), {in_b, -std::sqrt(whitened_.variance[i]) * in_g});
    };
    use(j, -1.0, covariance_bars_(neighbor_count(neighbors_, j), j));
    users_.for_each(j, [&](Index i, int place) { use(i, whitened_.weights(place, i), covariance_bars_(place, i)); });
    bars.col(j - first).setZero();
    column_kernels().add_combination(columns.data(), Index(columns.size()), rows_.stride(), weights.data(),
                                     bars.col(j - first).data());
  }
  const InducingFactor& prior = rows_.factor();
  MatrixXd bar = bars.topRows(prior.points().size());
  if (feature_bars) bar += feature_bars->middleCols(first, last - first);
  add_lower_product_transposed(bar, rows_.features(first, last - first), sum.gram);
  lower_transposed_solve(prior.lower(), bar);
  std::vector<ComponentCovariances> parts;
  const MatrixXd covariances =
      prior.points().covariances({rows_.coords()[first], last - first, rows_.coords().dim}, &parts);
  const double scale = bar.cwiseProduct(covariances).sum();
  prior.points().contract(parts, bar, scale, sum.gradient);
}

}  // namespace neargp
