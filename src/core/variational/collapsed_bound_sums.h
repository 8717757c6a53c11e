// The sums over rows of a collapsed bound, and the results that follow from them alone: value, trend and the posterior
// of the field at the inducing points.
#pragma once

#include "variational/collapsed_bound.h"

namespace neargp {

struct CollapsedBoundSums {
  Eigen::MatrixXd gram;     // A W A', lower triangle
  Eigen::MatrixXd cross;    // A W R
  Eigen::MatrixXd columns;  // R'W R
  double traces = 0.0;      // sum t_i
  double log_precision = 0.0, unexplained = 0.0;

  void add(const CollapsedBoundSums& other);
};

CollapsedBoundSums zero_sums(Index features, int columns);

// t_i of rows, summed.
double trace_terms(BoundKind kind, const Eigen::VectorXd& precision, const Eigen::VectorXd& unexplained);

// dt_i / dd_i.
Eigen::VectorXd trace_slopes(BoundKind kind, const Eigen::VectorXd& precision, const Eigen::VectorXd& unexplained);

CollapsedBound failed_bound(BoundFailure failure);

// Computes the lower bound of n rows without its gradient. B consists of `blocks` square blocks on its diagonal, all of
// one size, with zeros elsewhere. Only these blocks are read. `contrasts` receives the column (1, -beta). The columns
// of [0; R] follow, where R R' is the covariance matrix of the coefficients that are integrated out, given the others.
// These are the coefficients of effects, for REML all.
CollapsedBound solve_bound(const CollapsedBoundSums& sums, Index n, const BoundSettings& settings,
                           Eigen::MatrixXd& contrasts, Index blocks = 1);

// B^-1
Eigen::MatrixXd posterior_covariance(const CollapsedBound& bound, Index blocks = 1);

}  // namespace neargp
