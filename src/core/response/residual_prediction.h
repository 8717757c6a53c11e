// The moments of the field at new locations in the posterior of residual_vecchia().
#pragma once

#include "geometry/neighbors.h"
#include "variational/collapsed_bound.h"
#include "variational/inducing_prior.h"

namespace neargp {

// Rows of targets. With a the features of a place, N its neighbours among the data, b and D of
// residual_conditional.h, and alpha = a - A_N b, the field, trend left out, has the mean that the row of `weighted`,
// b'z_N + alpha'weights, gives of each column z of the data, and the variance D + |factor^-1 alpha|^2. Each row
// depends on its own place alone.
struct ResidualPrediction {
  BoundFailure failure = BoundFailure::none;
  Index failed_row = -1;  // the first target whose neighbours' covariance matrix is singular
  Eigen::MatrixXd weighted;
  Eigen::VectorXd variance;
};

// `weights` and `factor` are those of residual_vecchia() with this prior. The neighbours are the `k` of each target's
// candidates of the largest residual correlation with it.
ResidualPrediction residual_prediction(const RegressionData& data, Points targets, const NeighborTable& candidates,
                                       int k, const InducingPrior& prior, const Eigen::MatrixXd& weights,
                                       const Eigen::MatrixXd& factor, const RunContext& context);

}  // namespace neargp
