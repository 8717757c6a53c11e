// The posterior of a latent model with a low-rank part (low_rank_prior.h) at other locations.
//
// Let a be the features of a location, and N its neighbours among the nodes. Let b and D be the weights and conditional
// variance of its residual given theirs, which include the jitter as noise. With alpha = a - A_N b the field there is
//
//   b'f_N + alpha'w + an independent rest of the variance D.
//
// Its mean is b'm_N + alpha'm_w. Its covariance is D + b'P^-1 b + |L_C^-1 (alpha + F_N'b)|^2, see low_rank_factor.h.
#pragma once

#include <vector>

#include "latent/latent_prediction.h"

namespace neargp {

// The neighbours of a location are the `k` of its candidates with the largest residual correlation with it.
// `candidates`: rows of the caller's nodes. Each row of the result depends only on its own location.
LatentPrediction predict_low_rank(const LatentModel& model, const SparsePosterior& posterior, Points locations,
                                  const NeighborTable& candidates, int k, const std::vector<double>& field_response,
                                  int columns, const RunContext& context);

// The same for locations together, without D. `weights`: b, a column by node for each location; `alpha` likewise.
struct LatentJoint {
  Eigen::VectorXd mean;
  Eigen::MatrixXd response, covariance;
};
LatentJoint joint_low_rank(const LatentModel& model, const SparsePosterior& posterior, const Eigen::MatrixXd& weights,
                           const Eigen::MatrixXd& alpha, const Eigen::MatrixXd& field_response,
                           const RunContext& context);

}  // namespace neargp
