// One step of stochastic variational inference on inducing points by a natural gradient.
//
// With features A (batch_rows.h), which include those of the trend, q(w) = N(m, S) is kept as Theta = S^-1 and
// theta = S^-1 m. Let a batch contain b of n rows, with means mu about the offset. At these, the slopes are g = E d log
// p, and the curvatures are W = -E d2 log p, not below zero. Let s = n/(b c). A step of size rho is
//
//   Theta += rho [P + s A W A' - Theta],   theta += rho [s A (g + W mu) - theta].
//
// P is the precision of the prior, and c is the weight of the divergence from it. The step is unbiased, since it is
// linear in the average over the rows. Theta remains positive definite for 0 < rho <= 1 (Hensman et al. 2013; Khan and
// Lin 2017). For a Gaussian response, g + W mu = W (y - offset) at any q.
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

  // The q that would result if all rows were like those of the batch, given the precisions and natural means of their
  // pseudo-observations (family_bound.h).
  NaturalPosterior posterior(const Eigen::VectorXd& precision, const Eigen::VectorXd& natural) const;
  // q after a step of size `rate`. Throws an Error unless the Theta of `from` is positive definite. For a Gaussian
  // response no such check is needed.
  NaturalPosterior moved(const NaturalPosterior& from, double rate) const;
  // Throws an Error unless the Theta of `at` is positive definite.
  BatchGradient gradient(const NaturalPosterior& at) const;
  const BatchRows& rows() const { return rows_; }

 private:
  BatchRows rows_;
  double weight_;  // n / (b c)
};

}  // namespace neargp
