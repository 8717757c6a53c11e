// The moments of the field at new locations in the posterior of collapsed_bound().
#pragma once

#include "variational/collapsed_bound.h"
#include "variational/inducing_prior.h"

namespace neargp {

// Rows of targets: the moments of the field without the trend. Let a = L^-1 k_z(x) and B = factor factor'. A row of
// `weighted` is a'weights, the mean of the field for each column of the data. The variance is
//
//   unexplained + posterior = k(x, x) - |a|^2 + |factor^-1 a|^2.
//
// Each row depends on its own location alone.
struct CollapsedPrediction {
  BoundFailure failure = BoundFailure::none;
  Eigen::MatrixXd weighted;
  Eigen::VectorXd unexplained, posterior;
};

// `prior` must be the prior with which `weights` and `factor` were computed.
CollapsedPrediction collapsed_prediction(Points targets, const InducingPrior& prior, const Eigen::MatrixXd& weights,
                                         const Eigen::MatrixXd& factor, const RunContext& context);

// A few targets together: their features a, and the covariance matrix K - A'A of the field there, given the field at
// the inducing points.
struct InducingFeatures {
  BoundFailure failure = BoundFailure::none;
  Eigen::MatrixXd features, unexplained;
};

InducingFeatures inducing_features(Points targets, const InducingPrior& prior, const RunContext& context);

}  // namespace neargp
