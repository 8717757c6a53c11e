// Draws of a field that has a low-rank part, given that part's draws and noisy data: one location after the other from
// the conditional distribution of its residual (residual_conditional.h).
#pragma once

#include "response/conditional_simulation.h"
#include "variational/collapsed_bound.h"

namespace neargp {

// The inducing points, and the whitened field there, a column for each draw.
struct LowRankDraws {
  Points inducing;
  double jitter;
  const Eigen::MatrixXd& whitened;
};

// Draws of the field as simulate_conditional() has them. `data.values`: n x draws, of each draw the data without trend.
// `neighbors` counts data, then targets, which come earlier in `order`. `normals`: targets x draws, row-major.
Simulation simulate_residual(const RegressionData& data, Points targets, const std::vector<int>& order,
                             const NeighborTable& neighbors, const Covariance& covariance, const LowRankDraws& low_rank,
                             const double* normals, const RunContext& context);

}  // namespace neargp
