#include "latent/low_rank_factor.h"

#include "linalg/products.h"
#include "parallel/parallel_for.h"

namespace neargp {

namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

}  // namespace

bool LowRankFactor::update(const LowRankPrior& prior, const std::vector<double>& precision, const Solve& solve,
                           const RunContext& context) {
  const Index n = Index(precision.size()), m = prior.size();
  const Eigen::Map<const VectorXd> W(precision.data(), n);
  MatrixXd taken(n, m);  // G
  parallel_for(context, m, [&](Index c) {
    const VectorXd weighted = prior.features().row(c).transpose().cwiseProduct(W);
    const std::vector<double> solved = solve({weighted.data(), weighted.data() + n});
    taken.col(c) = Eigen::Map<const VectorXd>(solved.data(), n);
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
