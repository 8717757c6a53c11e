// Each row predicted from all others under the likelihood of residual_vecchia.h.
#pragma once

#include "response/residual_prediction.h"

namespace neargp {

// The posterior that residual_vecchia() found, with the inducing points and the jitter of that call.
struct LowRankPosterior {
  Points inducing;
  double jitter;
  const Eigen::MatrixXd& weights;
  const Eigen::MatrixXd& factor;
};

// Let Q be the inverse of A'A + V. Row i of a column z is predicted by z_i - (Q z)_i / Q_ii. The variance is 1 / Q_ii,
// noise included. V^-1 is the sum over rows l of u_l u_l', where u_l contains 1 / D_l^(1/2) at l and -b_l / D_l^(1/2)
// at its neighbours. With B, b and D as in residual_vecchia.h, Q = V^-1 - V^-1 A'B^-1 A V^-1.
struct ResidualLeaveOneOut {
  BoundFailure failure = BoundFailure::none;
  Index failed_row = -1;     // the first whose neighbours' covariance matrix is singular
  Eigen::MatrixXd weighted;  // a row for each row of the data, a column for each of its columns
  Eigen::VectorXd variance;
};

// `neighbors`: those with which the likelihood was computed.
ResidualLeaveOneOut residual_leave_one_out(const RegressionData& data, const NeighborTable& neighbors,
                                           const Covariance& covariance, const LowRankPosterior& posterior,
                                           const RunContext& context);

}  // namespace neargp
