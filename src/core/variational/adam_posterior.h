// q(w) = N(m, R R') on inducing points as Adam moves it: each entry of m and of the lower triangle R by itself, on the
// gradient of a batch (batch_rows.h) less c KL[q // prior],
//
//   dKL/dm = P m,   dKL/dR = P R - diag(1 / R_jj),   lower triangle,
//
// P the prior's precision: 1 for the field, 0 for the trend's columns. (The customary stochastic optimiser, as of
// Hensman et al. 2013 without natural gradients.)
#pragma once

#include "optim/adam.h"
#include "variational/natural_step.h"

namespace neargp {

// The same distribution with a root of its covariance matrix. Throws an Error where that is singular.
RootedPosterior with_covariance_root(const RootedPosterior& q);

// Subtracts the gradient of the divergence from the prior, of whole q, in m and in R.
void subtract_divergence(const RootedPosterior& q, Index trend, double kl_weight, BatchGradient& gradient);

struct AdamPosteriorMemory {
  RootedPosterior at;
  AdamMemory mean, root;
};

class AdamPosterior {
 public:
  // `start` has a root of the covariance matrix.
  AdamPosterior(RootedPosterior start, Index trend, double kl_weight);

  // A posterior with another's memory goes on exactly as that one would have done.
  AdamPosterior(AdamPosteriorMemory memory, Index trend, double kl_weight);

  const RootedPosterior& at() const { return q_; }
  AdamPosteriorMemory memory() const { return {q_, mean_adam_.memory(), root_adam_.memory()}; }
  void step(BatchGradient gradient, double rate);

 private:
  RootedPosterior q_;
  Index trend_;
  double kl_weight_;
  RowAdam mean_adam_, root_adam_;
};

}  // namespace neargp
