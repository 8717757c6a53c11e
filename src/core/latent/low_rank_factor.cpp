#include "latent/low_rank_factor.h"

#include <algorithm>

#include "linalg/products.h"
#include "parallel/parallel_for.h"

namespace neargp {

namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr Index columns_together = 8;  // as many as SparseFactor::solve() has in its lanes

}  // namespace

bool LowRankFactor::update(const LowRankPrior& prior, const std::vector<double>& precision, const Solve& solve,
                           const RunContext& context) {
  const Index n = Index(precision.size()), m = prior.size();
  const Eigen::Map<const VectorXd> W(precision.data(), n);
  MatrixXd taken(n, m);  // G
  parallel_for(context, (m + columns_together - 1) / columns_together, [&](Index part) {
    const Index first = part * columns_together, count = std::min(columns_together, m - first);
    MatrixXd columns = W.asDiagonal() * prior.features().middleRows(first, count).transpose();
    solve(columns);
    taken.middleCols(first, count) = columns;
  });
  spread_ = prior.features() - taken.transpose();
  lower_.setIdentity(m, m);
  weighted_rank_update(spread_, W, lower_);
  rank_update(prior.whitened_rows_of(taken), lower_);
  if (!cholesky(lower_)) return false;
  lower_solve(lower_, spread_);
  return true;
}

double LowRankFactor::log_det() const { return 2.0 * lower_.diagonal().array().log().sum(); }

MatrixXd LowRankFactor::taken(const LowRankPrior& prior) const {
  MatrixXd features = prior.features();
  lower_solve(lower_, features);
  return features - spread_;
}

void LowRankFactor::add_solved(const double* h, double* x) const {
  const VectorXd inner = spread_ * Eigen::Map<const VectorXd>(h, spread_.cols());
  Eigen::Map<VectorXd>(x, spread_.cols()) += spread_.transpose() * inner;
}

}  // namespace neargp
