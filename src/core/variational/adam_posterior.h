// Adam for q(w) = N(m, R R') on inducing points. This is the customary stochastic optimiser, as in Hensman et al. 2013
// but without natural gradients. Adam moves each entry of m and of the lower triangle R on its own. It uses the
// gradient of a batch (batch_rows.h), minus c times the gradient of KL[q // prior]. The latter is
//
//   dKL/dm = P m,   dKL/dR = P R - diag(1 / R_jj),   lower triangle.
//
// P is the precision of the prior: 1 for the field, 0 for the columns of the trend.
#pragma once

#include "optim/adam.h"
#include "variational/natural_step.h"

namespace neargp {

// Returns the same distribution with a root of its covariance matrix. Throws an Error where that matrix is singular.
RootedPosterior with_covariance_root(const RootedPosterior& q);

// Subtracts the gradient of the divergence from the prior, of whole q, in m and in R.
void subtract_divergence(const RootedPosterior& q, Index trend, double kl_weight, BatchGradient& gradient);

struct AdamPosteriorMemory {
  RootedPosterior at;
  AdamMemory mean, root;
};

class AdamPosterior {
 public:
  // `start` holds a root of the covariance matrix, not of the precision.
  AdamPosterior(RootedPosterior start, Index trend, double kl_weight);

  // Continues exactly as the posterior that `memory` is from would have continued.
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
