// The moments of the outputs' fields at new locations in the posterior of coregionalised_bound().
#pragma once

#include "variational/collapsed_bound.h"

namespace neargp {

// `weighted`: a row for each output and location, output after output. It contains the posterior mean for each column
// of the data. The covariance of outputs p >= q at a location, without the trend, is unexplained + posterior. Both
// matrices contain a row for each location and a column for each pair of outputs. The pairs are ordered by the columns
// of a lower triangle: `(0, 0), (1, 0), ..., (1, 1), (2, 1), ...`. Each row depends on its own location alone.
struct CoregionalisedPrediction {
  BoundFailure failure = BoundFailure::none;
  Eigen::MatrixXd weighted, unexplained, posterior;
};

// Inducing points, covariance and jitter must be those with which `weights` and `factor` were computed.
CoregionalisedPrediction coregionalised_prediction(Points targets, Points inducing, const Covariance& covariance,
                                                   double jitter, const Eigen::MatrixXd& weights,
                                                   const Eigen::MatrixXd& factor, const RunContext& context);

}  // namespace neargp
