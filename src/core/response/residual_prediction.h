// The moments of the field at new locations in the posterior of residual_vecchia().
#pragma once

#include "geometry/neighbors.h"
#include "variational/collapsed_bound.h"
#include "variational/inducing_prior.h"

namespace neargp {

// Rows of targets: the moments of the field without the trend. Let a be the features of a location, N its neighbours
// among the data, and b and D as in residual_conditional.h. Let alpha = a - A_N b. A row of `weighted` is
// b'z_N + alpha'weights, the mean of the field for each column z of the data. The variance is D + |factor^-1 alpha|^2.
// Each row depends on its own location alone.
struct ResidualPrediction {
  BoundFailure failure = BoundFailure::none;
  Index failed_row = -1;  // the first target whose neighbours' covariance matrix is singular
  Eigen::MatrixXd weighted;
  Eigen::VectorXd variance;
};

// `weights` and `factor` must come from residual_vecchia() with this prior. The neighbours of a target are its `k`
// candidates with the largest residual correlation.
ResidualPrediction residual_prediction(const RegressionData& data, Points targets, const NeighborTable& candidates,
                                       int k, const InducingPrior& prior, const Eigen::MatrixXd& weights,
                                       const Eigen::MatrixXd& factor, const RunContext& context);

}  // namespace neargp
