// The moments of the field at new locations in the posterior of collapsed_bound().
#pragma once

#include "variational/collapsed_bound.h"
#include "variational/inducing_prior.h"

namespace neargp {

// Rows of targets. With a = L^-1 k_z(x) and factor factor' = B, the field, trend left out, has the mean that the row
// of `weighted`, a'weights, gives of each column of the data, and the variance unexplained + posterior = k(x, x) -
// |a|^2 + |factor^-1 a|^2. Each row depends on its own place alone.
struct CollapsedPrediction {
  BoundFailure failure = BoundFailure::none;
  Eigen::MatrixXd weighted;
  Eigen::VectorXd unexplained, posterior;
};

// The prior is that of the bound that gave `weights` and `factor`.
CollapsedPrediction collapsed_prediction(Points targets, const InducingPrior& prior, const Eigen::MatrixXd& weights,
                                         const Eigen::MatrixXd& factor, const RunContext& context);

// A few targets together: their features a, and the covariance matrix of the field there given that at the inducing
// points, K - A'A.
struct InducingFeatures {
  BoundFailure failure = BoundFailure::none;
  Eigen::MatrixXd features, unexplained;
};

InducingFeatures inducing_features(Points targets, const InducingPrior& prior, const RunContext& context);

}  // namespace neargp
