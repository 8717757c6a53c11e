// Kriging from conditioning sets: prediction at new locations and joint conditional
// simulation.
#pragma once

#include <vector>

#include "base/run_context.h"
#include "covariance/covariance.h"
#include "geometry/neighbors.h"
#include "local/problem.h"

namespace neargp {

struct Kriging {
  int columns = 0;
  std::vector<double> weighted;  // m x columns: b' of each column over the conditioning set
  std::vector<double> variance;  // m: of the noise-free field given noisy neighbours
  Index failed = -1;             // first target (0-based) with a singular matrix, or -1
};

// With `local_mean` the mean within each conditioning set is unknown and constant
// (ordinary kriging); else it is known to be zero. `target_outputs`: of several outputs that
// of each target. `weights`, where not null, gets b of all targets (m x k).
Kriging krige(const LocalData& data, Points targets, const NeighborTable& neighbors,
              const Covariance& covariance, bool local_mean, const RunContext& context,
              const int* target_outputs = nullptr, double* weights = nullptr);

// Draws of the noise-free field at new locations given data, column s of `values` being
// the (residual) data of draw s: each location conditions on its row of `neighbors`, which
// counts data 0 .. n-1 and then new locations, the latter earlier in `order`. `normals`
// is m x draws. Result: m x draws, row-major. Throws an Error on a singular matrix.
std::vector<double> simulate_conditional(const LocalData& data, Points targets, const std::vector<int>& order,
                                         const NeighborTable& neighbors, const Covariance& covariance,
                                         const double* normals, const RunContext& context,
                                         const int* target_outputs = nullptr);

}  // namespace neargp
