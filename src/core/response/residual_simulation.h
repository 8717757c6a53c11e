// Draws of a field with a low-rank part, given draws of that part and noisy data. Each location in turn is drawn from
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

// Draws of the field in the form of simulate_conditional(). `data.values`: n x draws, for each draw the data without
// the trend. `neighbors` counts data, then targets, which must come earlier in `order`. `normals`: targets x draws,
// row-major.
Simulation simulate_residual(const RegressionData& data, Points targets, const std::vector<int>& order,
                             const NeighborTable& neighbors, const Covariance& covariance, const LowRankDraws& low_rank,
                             const double* normals, const RunContext& context);

}  // namespace neargp
