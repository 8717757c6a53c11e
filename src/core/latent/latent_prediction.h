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

// Draws of the field at the nodes, by column. Independent normals x, one for each node, datum and draw, give h = sum_j
// a_j x_j / sqrt(f_j) + C' sqrt(W) x. The covariance of h is A, and that of A^-1 h is A^-1 (Papandreou and Yuille
// 2010). Draws are exact with any factor, which only preconditions. A negative precision of a pseudo-observation counts
// as 0. It occurs at outliers of a likelihood that is not log-concave.
//
// With a low-rank part (low_rank_factor.h) w = L_C^-T x and u = A^-1 h + F w, where A is the precision of the residual
// field.
struct LatentDraws {
  std::vector<double> field;     // u
  std::vector<double> whitened;  // w, without the posterior's mean as u; empty where there is no low-rank part
};
LatentDraws draw_latent(const LatentModel& model, const SparsePosterior& posterior, int draws, std::uint64_t key,
                        const RunContext& context);

}  // namespace neargp
