// The mean of a Gaussian process given all rows, without a matrix of n x n: the equations of mean_equations.h by the
// method of conjugate gradients. It is the best mean on all rows as inducing points of the mean alone (Salimbeni,
// Cheng, Boots and Deisenroth 2018, orthogonally decoupled bases).
//
// An iteration computes n^2 covariances. Few are needed, for the inducing points of a posterior precondition it: with
// their features A and d what these leave unexplained,
//
//   P = E + W^1/2 A'A W^1/2,  E = diag(1 + W_i d_i),
//   P^-1 = E^-1 - E^-1 W^1/2 A' (I + A W E^-1 A')^-1 A W^1/2 E^-1
//
// is I + W^1/2 K W^1/2 but for what K has between rows that inducing points do not explain.
#pragma once

#include "variational/mean_equations.h"

namespace neargp {

struct ExactMeanSettings {
  double jitter = 1e-6;
  double tolerance = 2e-3;  // of the residual's norm, relative to the column's
  int max_iterations = 100;
  Index chunk_rows = 64;
};

MeanSolution exact_mean(const MeanEquations& equations, Points inducing, const Covariance& covariance,
                        const ExactMeanSettings& settings, const RunContext& context);

// k(x, X) weights at targets: a row for each, which depends on its own place alone.
Eigen::MatrixXd exact_mean_at(Points targets, Points rows, const Eigen::MatrixXd& weights, const Covariance& covariance,
                              const RunContext& context);

}  // namespace neargp
