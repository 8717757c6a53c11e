#include "response/kriging.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "conditional/backend.h"
#include "base/error.h"
#include "covariance/covariance_matrix.h"
#include "conditional/cpu/kernels.h"

namespace neargp {

namespace {

// Runs the weights kernel over all targets; returns the first failed one or -1.
Index run_weights(const LocalView& view, const Covariance& covariance, bool local_mean,
                  const ConditionalWeightsOutput& out, const RunContext& context) {
  const PreparedCovariance prepared =
      prepare(covariance, view.dim, false, local_kernels().fill_matern_table);
  return DeviceView(backend_of(context), view).conditional_weights(prepared, local_mean, context, out);
}

LocalView kriging_view(const LocalData& data, Points targets, const int* target_outputs, const NeighborTable& neighbors) {
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
  view.outputs = data.outputs;
  view.target_outputs = target_outputs;
  return view;
}

// An unknown mean needs at least one datum.
void check_present(const NeighborTable& neighbors) {
  for (Index t = 0; t < neighbors.n; ++t)
    if (std::all_of(neighbors[t], neighbors[t] + neighbors.k, [](int row) { return row < 0; }))
      throw Error("New location " + std::to_string(t + 1) +
                  " has no neighbours from which its local mean could be found.");
}

// The covariance for noise scales that are the noise variances themselves.
Covariance with_unit_nuggets(Covariance covariance) {
  covariance.nugget = 1.0;
  std::fill(covariance.output_nuggets.begin(), covariance.output_nuggets.end(), 1.0);
  return covariance;
}

// field = variance^(1/2) normals + weights * (data or earlier field), location by location.
std::vector<double> draw_in_order(const LocalData& data, const std::vector<int>& order,
                                  const NeighborTable& neighbors, const std::vector<double>& weights,
                                  const std::vector<double>& variance, const double* normals,
                                  const RunContext& context) {
  const Index n = data.coords.n;
  const int draws = data.columns;
  std::vector<double> field(variance.size() * std::size_t(draws));
  Index work = 0;
  for (const int j : order) {
    work += Index(neighbors.k + 1) * draws;
    if (context.check_interrupt && work > 10000000) {
      context.check_interrupt();
      work = 0;
    }
    double* result = field.data() + Index(j) * draws;
    const double sd = std::sqrt(variance[j]);
    for (int s = 0; s < draws; ++s) result[s] = sd * normals[Index(j) * draws + s];
    for (int r = 0; r < neighbors.k; ++r) {
      const Index row = neighbors[j][r];
      if (row < 0) continue;
      const double weight = weights[Index(j) * neighbors.k + r];
      const double* values = row < n ? data.values + row * draws : field.data() + (row - n) * draws;
      for (int s = 0; s < draws; ++s) result[s] += weight * values[s];
    }
  }
  return field;
}

}  // namespace

Kriging krige(const LocalData& data, Points targets, const NeighborTable& neighbors,
              const Covariance& covariance, bool local_mean, const RunContext& context, const int* target_outputs,
              double* weights) {
  if (targets.dim != data.coords.dim) throw Error("Data and new locations must have the same coordinates.");
  if (neighbors.n != targets.n) throw Error("The table of neighbours must have one row for each new location.");
  check_coordinates(data.coords);
  check_coordinates(targets);
  check_rows(neighbors.index, -1, data.coords.n);
  if (local_mean) check_present(neighbors);
  check_outputs(data.outputs, data.coords.n, covariance);
  check_outputs(target_outputs, targets.n, covariance);
  Kriging result;
  result.columns = data.columns;
  result.weighted.assign(std::size_t(targets.n) * data.columns, 0.0);
  result.variance.assign(targets.n, 0.0);
  const LocalView view = kriging_view(data, targets, target_outputs, neighbors);
  result.failed = run_weights(view, covariance, local_mean,
                              {result.weighted.data(), result.variance.data(), weights}, context);
  return result;
}

std::vector<double> joined_coords(const LocalData& data, Points targets) {
  std::vector<double> coords(data.coords.data, data.coords.data + data.coords.n * data.coords.dim);
  coords.insert(coords.end(), targets.data, targets.data + targets.n * targets.dim);
  return coords;
}

std::vector<int> joined_outputs(const LocalData& data, const int* target_outputs, Index targets) {
  std::vector<int> outputs;
  if (!target_outputs) return outputs;
  outputs.assign(data.outputs, data.outputs + data.coords.n);
  outputs.insert(outputs.end(), target_outputs, target_outputs + targets);
  return outputs;
}

Simulation simulate_conditional(const LocalData& data, Points targets, const std::vector<int>& order,
                                const NeighborTable& neighbors, const Covariance& covariance, const double* normals,
                                const RunContext& context, const int* target_outputs) {
  const Index n = data.coords.n;
  const Index m = targets.n;
  if (neighbors.n != m || Index(order.size()) != m)
    throw Error("The table of neighbours and the order must have one row for each new location.");
  check_coordinates(data.coords);
  check_coordinates(targets);
  check_rows(neighbors.index, -1, n + m);
  check_rows(order, 0, m);
  check_outputs(data.outputs, n, covariance);
  check_outputs(target_outputs, m, covariance);

  const std::vector<double> coords = joined_coords(data, targets);
  const std::vector<int> outputs = joined_outputs(data, target_outputs, m);
  const PreparedCovariance prepared = prepare(covariance, data.coords.dim, false, local_kernels().fill_matern_table);
  const Eigen::VectorXd field_variance = field_variances(prepared, n + m, outputs.empty() ? nullptr : outputs.data());
  Eigen::VectorXd noise = Eigen::VectorXd::Zero(n + m);
  noise.head(n) = noise_variances(prepared, data.noise_scale, n, data.outputs);

  const Covariance unit = with_unit_nuggets(covariance);
  LocalView view = kriging_view(data, targets, target_outputs, neighbors);
  if (target_outputs) view.outputs = outputs.data();
  view.columns = 0;
  view.coords = coords.data();
  std::vector<double> weights(std::size_t(m) * neighbors.k), variance(m);
  Simulation result;
  for (const double jitter : simulation_jitters) {
    const Eigen::VectorXd noise_variance = noise + jitter * field_variance;
    view.noise_scale = noise_variance.data();
    result.jitter = jitter;
    result.failed = run_weights(view, unit, false, {nullptr, variance.data(), weights.data()}, context);
    if (result.failed < 0) break;
  }
  if (result.failed >= 0) return result;
  for (Index j = 0; j < m; ++j) variance[j] += result.jitter * field_variance[n + j];
  result.field = draw_in_order(data, order, neighbors, weights, variance, normals, context);
  return result;
}

}  // namespace neargp
