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

// The bound of n rows without its gradient. `blocks`: of how many square blocks on its diagonal, all of one size, B
// consists, with zeros elsewhere; then only these are read. The columns of `contrasts` are (1, -beta) and (0, R), R R'
// the covariance matrix of the coefficients that are integrated out, given the others: of effects, for REML of all.
CollapsedBound solve_bound(const CollapsedBoundSums& sums, Index n, const BoundSettings& settings,
                           Eigen::MatrixXd& contrasts, Index blocks = 1);

// B^-1
Eigen::MatrixXd posterior_covariance(const CollapsedBound& bound, Index blocks = 1);

}  // namespace neargp
