// The mean of a Gaussian process given all rows, without an n x n matrix. The equations of mean_equations.h are solved
// by conjugate gradients. The result is the best mean with all rows as inducing points of the mean alone (Salimbeni,
// Cheng, Boots and Deisenroth 2018, orthogonally decoupled bases).
//
// An iteration computes n^2 covariances. Few iterations are needed, since the inducing points of a posterior give a
// preconditioner P. Let A be their features, and d_i the variance that they leave unexplained. With
// E = diag(1 + W_i d_i),
//
//   P = E + W^1/2 A'A W^1/2,
//   P^-1 = E^-1 - E^-1 W^1/2 A' (I + A W E^-1 A')^-1 A W^1/2 E^-1.
//
// P differs from I + W^1/2 K W^1/2 only in the covariances between rows that the inducing points do not explain.
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

// Computes k(x, X) weights at targets, one row for each. A row depends on its own location alone.
Eigen::MatrixXd exact_mean_at(Points targets, Points rows, const Eigen::MatrixXd& weights, const Covariance& covariance,
                              const RunContext& context);

}  // namespace neargp
