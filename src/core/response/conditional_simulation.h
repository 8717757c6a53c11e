// Joint conditional simulation at new locations, one after the other from conditioning sets.
#pragma once

#include <vector>

#include "base/run_context.h"
#include "conditional/data.h"
#include "covariance/covariance.h"
#include "geometry/neighbors.h"

namespace neargp {

// Draws of the latent field at new locations.
struct Simulation {
  std::vector<double> field;  // m x draws, row-major
  double jitter = 0.0;        // what was added to the diagonal, as a share of the variance of the field
  Index failed = -1;          // first new location (0-based) whose matrix is singular even so, or -1
};

// Smooth covariances make matrices of close locations singular in double precision. Therefore noise is added to
// observations and draws: the same share of the field's variance for all locations. The smallest share is used with
// which all matrices can be factored.
constexpr double simulation_jitters[] = {0.0, 1e-10, 1e-8, 1e-6};

// Throws an Error unless the order and the table of neighbours match these targets, and all coordinates are valid.
void check_simulation(Points data, Points targets, const std::vector<int>& order, const NeighborTable& neighbors);

// Draws given data. Column s of `values` contains the (residual) data of draw s. Each location conditions on its row of
// `neighbors`. The table counts data 0 .. n-1 and then new locations, which must come earlier in `order`. `normals` is
// m x draws.
Simulation simulate_conditional(const LocalData& data, Points targets, const std::vector<int>& order,
                                const NeighborTable& neighbors, const Covariance& covariance, const double* normals,
                                const RunContext& context, const int* target_outputs = nullptr);

// Data and targets as one set of points, data first.
std::vector<double> joined_coords(const LocalData& data, Points targets);

// The outputs of data and targets, one after the other; empty where there is one output.
std::vector<int> joined_outputs(const LocalData& data, const int* target_outputs, Index targets);

}  // namespace neargp
