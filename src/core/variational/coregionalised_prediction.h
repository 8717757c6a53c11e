// The moments of the outputs' fields at new locations in the posterior of coregionalised_bound().
#pragma once

#include "variational/collapsed_bound.h"

namespace neargp {

// `weighted`: a row for each output and place, output after output: what the posterior's mean gives of each column of
// the data. The covariance of outputs p >= q at a place, trend left out, is unexplained + posterior, with a row for
// each place and a column for each pair: (0, 0), (1, 0), ..., (1, 1), (2, 1), ..., as in a lower triangle by columns.
// Each row depends on its own place alone.
struct CoregionalisedPrediction {
  BoundFailure failure = BoundFailure::none;
  Eigen::MatrixXd weighted, unexplained, posterior;
};

// Inducing points, covariance and jitter are those of the bound that gave `weights` and `factor`.
CoregionalisedPrediction coregionalised_prediction(Points targets, Points inducing, const Covariance& covariance,
                                                   double jitter, const Eigen::MatrixXd& weights,
                                                   const Eigen::MatrixXd& factor, const RunContext& context);

}  // namespace neargp
