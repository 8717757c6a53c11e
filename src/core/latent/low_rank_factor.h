// The posterior of a latent model with a low-rank part in its prior (low_rank_prior.h), given pseudo-observations of
// precision W at the nodes. P = Lam + W is the precision of the residual field, which PosteriorFactor factorizes. Let
//
//   G' = A W P^-1,   F' = A - G' = A Lam P^-1.
//   C = I + A W F = I + F'W F + G'Lam G = L_C L_C'.
//
// The covariance of the whitened field w is C^-1, and that of the residual field is P^-1 + G C^-1 G'. For the field f
//
//   (K^-1 + W)^-1 = P^-1 + F C^-1 F',   log|K^-1 + W| = log|P| + log|C| - log|E|,   Cov(f, w) = F C^-1.
//
// An error of F enters the second form of C only by its square.
#pragma once

#include <functional>

#include "latent/low_rank_prior.h"

namespace neargp {

class LowRankFactor {
 public:
  using Solve = std::function<void(Eigen::MatrixXd&)>;

  // `solve`: P^-1 of columns by node, in place; different threads may call it. False where C is not positive definite.
  bool update(const LowRankPrior& prior, const std::vector<double>& precision, const Solve& solve,
              const RunContext& context);

  double log_det() const;  // log|C|
  const Eigen::MatrixXd& lower() const { return lower_; }
  // L_C^-1 F', a column for each node.
  const Eigen::MatrixXd& spread() const { return spread_; }
  // L_C^-1 G' likewise.
  Eigen::MatrixXd taken(const LowRankPrior& prior) const;

  // The amount that the low-rank part adds to each node's variance, and F C^-1 F'h to x.
  Eigen::VectorXd variance() const { return spread_.colwise().squaredNorm().transpose(); }
  void add_solved(const double* h, double* x) const;

 private:
  Eigen::MatrixXd lower_, spread_;
};

}  // namespace neargp
