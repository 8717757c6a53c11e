// One step of stochastic variational inference on inducing points by a natural gradient.
//
// With features A (and the trend's above them, see batch_rows.h) q(w) = N(m, S) is kept as Theta = S^-1 and theta =
// S^-1 m. For b of n rows, of slopes g = E d log p and curvatures W = -E d2 log p (not below zero) at their means mu
// about the offset,
//
//   Theta <- (1 - rho) Theta + rho [ P + n/(b c) A W A' ],   theta <- (1 - rho) theta + rho n/(b c) A (g + W mu),
//
// P the prior's precision, c the weight of the divergence from it: unbiased, since it is linear in the rows' average,
// and positive definite for rho in (0, 1] (Hensman et al. 2013; Khan and Lin 2017). A gaussian response has g + W mu =
// W (y - offset), whatever q is.
#pragma once

#include "variational/batch_rows.h"

namespace neargp {

struct NaturalPosterior {
  Eigen::MatrixXd precision;  // Theta, lower triangle; trend columns first
  Eigen::VectorXd natural;    // theta
};

// Throws an Error where the precision is not positive definite.
RootedPosterior rooted(const NaturalPosterior& q);

class NaturalStep {
 public:
  // Everything but `objective`, whose score is the expected one, outlives the object.
  NaturalStep(const InducingFactor& factor, const RowBatch& batch, const Likelihood& likelihood,
              const BatchObjective& objective, const RunContext& context);

  // q if all rows were like those of the batch, given the precisions and natural means of their pseudo-observations
  // (family_bound.h).
  NaturalPosterior posterior(const Eigen::VectorXd& precision, const Eigen::VectorXd& natural) const;
  // q after a step of that size. The Theta of an argument must be positive definite: otherwise an Error is thrown.
  NaturalPosterior moved(const NaturalPosterior& from, double rate) const;
  BatchGradient gradient(const NaturalPosterior& at) const;
  const BatchRows& rows() const { return rows_; }

 private:
  BatchRows rows_;
  double weight_;  // n / (b c)
};

}  // namespace neargp
