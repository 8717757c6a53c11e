#include "methods/kriging.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "base/error.h"
#include "local/kernels.h"
#include "local/sum_chunks.h"

namespace neargp {

namespace {

// Runs the weights kernel over all targets; returns the first failed one or -1.
Index run_weights(const LocalView& view, const Covariance& covariance, bool local_mean,
                  const ConditionalWeightsOutput& out, const RunContext& context) {
  const LocalKernels& kernels = local_kernels();
  const PreparedCovariance prepared = prepare(covariance, view.dim, false, kernels.fill_matern_table);
  const auto kernel = [&](Index first, Index last, double* scratch, double*) {
    return kernels.conditional_weights(view, prepared, local_mean, first, last, scratch, out);
  };
  return sum_chunks(view.targets, 0, kernels.conditional_weights_scratch(view, prepared, local_mean), context,
                    kernel)
      .failed;
}

LocalView kriging_view(const LocalData& data, Points targets, const NeighborTable& neighbors) {
  LocalView view;
  view.dim = data.coords.dim;
  view.k = neighbors.k;
  view.columns = data.columns;
  view.coords = data.coords.data;
  view.values = data.values;
  view.noise_scale = data.noise_scale;
  view.targets = targets.n;
  view.target_coords = targets.data;
  view.neighbors = neighbors.index.data();
  return view;
}

}  // namespace

Kriging krige(const LocalData& data, Points targets, const NeighborTable& neighbors,
              const Covariance& covariance, bool local_mean, const RunContext& context) {
  if (targets.dim != data.coords.dim) throw Error("Data and new locations must have the same coordinates.");
  if (neighbors.n != targets.n) throw Error("The table of neighbours must have one row for each new location.");
  Kriging result;
  result.columns = data.columns;
  result.weighted.assign(std::size_t(targets.n) * data.columns, 0.0);
  result.variance.assign(targets.n, 0.0);
  const LocalView view = kriging_view(data, targets, neighbors);
  result.failed = run_weights(view, covariance, local_mean,
                              {result.weighted.data(), result.variance.data(), nullptr}, context);
  return result;
}

std::vector<double> simulate_conditional(const LocalData& data, Points targets, const std::vector<int>& order,
                                         const NeighborTable& neighbors, const Covariance& covariance,
                                         const double* normals, const RunContext& context) {
  const Index n = data.coords.n;
  const Index m = targets.n;
  const int draws = data.columns;
  // Data and targets as one set of points; the targets carry no noise.
  std::vector<double> coords(data.coords.data, data.coords.data + n * data.coords.dim);
  coords.insert(coords.end(), targets.data, targets.data + m * targets.dim);
  std::vector<double> noise_scale(data.noise_scale, data.noise_scale + n);
  noise_scale.resize(n + m, 0.0);

  LocalView view = kriging_view(data, targets, neighbors);
  view.columns = 0;
  view.coords = coords.data();
  view.noise_scale = noise_scale.data();
  std::vector<double> weights(std::size_t(m) * neighbors.k), variance(m);
  const Index failed =
      run_weights(view, covariance, false, {nullptr, variance.data(), weights.data()}, context);
  if (failed >= 0)
    throw Error("The covariance matrix of the conditioning set of new location " + std::to_string(failed + 1) +
                " is singular: are there duplicated locations among the new ones?");

  std::vector<double> field(std::size_t(m) * draws);
  for (const int j : order) {
    double* result = field.data() + Index(j) * draws;
    const double sd = std::sqrt(variance[j]);
    for (int s = 0; s < draws; ++s) result[s] = sd * normals[Index(j) * draws + s];
    for (int r = 0; r < neighbors.k; ++r) {
      const Index row = neighbors.index[Index(j) * neighbors.k + r];
      if (row < 0) break;
      const double weight = weights[Index(j) * neighbors.k + r];
      const double* values = row < n ? data.values + row * draws : field.data() + (row - n) * draws;
      for (int s = 0; s < draws; ++s) result[s] += weight * values[s];
    }
  }
  return field;
}

}  // namespace neargp
