// The posterior of a latent model away from its nodes, and draws from it.
#pragma once

#include <cstdint>
#include <vector>

#include "latent/sparse_posterior.h"

namespace neargp {

struct LatentPrediction {
  std::vector<double> mean;      // b'm
  std::vector<double> variance;  // f + b'A^-1 b
  std::vector<double> response;  // b'H, H the columns that answer to the trend: locations x columns, by column
};

// b and f: weights and variance of each location given its nodes. `field_response`: SparsePosterior's, by column.
LatentPrediction predict_latent(const LatentModel& model, const SparsePosterior& posterior, Points locations,
                                const NeighborTable& neighbors, const std::vector<double>& field_response, int columns,
                                Workspaces& workspaces, const RunContext& context);

// Draws of the field at the nodes, by column. Independent normals x (one for each node and datum and draw) give h =
// sum_j a_j x_j / sqrt(f_j) + C' sqrt(W) x, whose covariance is A, so A^-1 h has the covariance A^-1 (Papandreou and
// Yuille 2010). Exact whatever the factor, which only preconditions. A pseudo-observation whose precision is negative
// (an outlier of a likelihood that is not log-concave) is taken to have none.
//
// With a low-rank part (low_rank_factor.h) w = L_C^-T x and u = A^-1 h + F w, A the precision of the residual field.
struct LatentDraws {
  std::vector<double> field;     // u
  std::vector<double> whitened;  // w, without the posterior's mean as u; empty where there is no low-rank part
};
LatentDraws draw_latent(const LatentModel& model, const SparsePosterior& posterior, int draws, std::uint64_t key,
                        const RunContext& context);

}  // namespace neargp
