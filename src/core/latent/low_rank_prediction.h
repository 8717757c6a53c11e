// The posterior of a latent model with a low-rank part (low_rank_prior.h) at other places.
//
// With a the features of a place, N its neighbours among the nodes, b and D the weights and conditional variance of its
// residual given theirs (each with the jitter as its noise), and alpha = a - A_N b, the field there is
//
//   b'f_N + alpha'w + an independent rest of the variance D,
//
// of mean b'm_N + alpha'm_w and covariance D + b'P^-1 b + |L_C^-1 (alpha + F_N'b)|^2 (low_rank_factor.h).
#pragma once

#include <vector>

#include "latent/latent_prediction.h"

namespace neargp {

// Neighbours are the `k` of each place's candidates, rows of the caller's nodes, of the largest residual correlation
// with it. Each row of the result depends on its own place alone.
LatentPrediction predict_low_rank(const LatentModel& model, const SparsePosterior& posterior, Points locations,
                                  const NeighborTable& candidates, int k, const std::vector<double>& field_response,
                                  int columns, const RunContext& context);

// The same of places together: with `weights` b, a column by node for each, and `alpha` likewise, all but D.
struct LatentJoint {
  Eigen::VectorXd mean;
  Eigen::MatrixXd response, covariance;
};
LatentJoint joint_low_rank(const LatentModel& model, const SparsePosterior& posterior, const Eigen::MatrixXd& weights,
                           const Eigen::MatrixXd& alpha, const Eigen::MatrixXd& field_response,
                           const RunContext& context);

}  // namespace neargp
