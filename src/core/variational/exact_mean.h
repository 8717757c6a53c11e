// The mean of a Gaussian process given all rows, without a matrix of n x n: (K + W^-1)^-1 R for the columns R by the
// method of conjugate gradients, W the precisions of the noise. It is the best mean on all rows as inducing points of the
// mean alone (Salimbeni, Cheng, Boots and Deisenroth 2018, orthogonally decoupled bases).
//
// An iteration computes n^2 covariances. Few are needed, for the inducing points of a posterior precondition it: with
// their features A and d what these leave unexplained,
//
//   P = A'A + D,  D = diag(d_i + 1/W_i),   P^-1 = D^-1 - D^-1 A' (I + A D^-1 A')^-1 A D^-1,
//
// the covariance matrix of the data but for what it has between rows that inducing points do not explain.
#pragma once

#include "variational/collapsed_bound.h"

namespace neargp {

struct ExactMeanSettings {
  double jitter = 1e-6;
  double tolerance = 2e-3;  // of the residual's norm, relative to the column's
  int max_iterations = 100;
  Index chunk_rows = 64;
};

struct ExactMean {
  BoundFailure failure = BoundFailure::none;
  Eigen::MatrixXd solved;  // (K + W^-1)^-1 R
  int iterations = 0;
  double residual = 0.0;   // the largest, relative
};

ExactMean exact_mean(const RegressionData& data, Points inducing, const Covariance& covariance,
                     const ExactMeanSettings& settings, const RunContext& context);

// k(x, X) solved at targets: a row for each, which depends on its own place alone.
Eigen::MatrixXd exact_mean_at(Points targets, Points rows, const Eigen::MatrixXd& solved, const Covariance& covariance,
                              const RunContext& context);

}  // namespace neargp
