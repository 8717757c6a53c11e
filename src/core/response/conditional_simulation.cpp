#include "response/conditional_simulation.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "conditional/conditional_moments.h"
#include "covariance/covariance_matrix.h"

namespace neargp {

namespace {

// The covariance for noise scales that are the noise variances themselves.
Covariance with_unit_nuggets(Covariance covariance) {
  covariance.nugget = 1.0;
  std::fill(covariance.output_nuggets.begin(), covariance.output_nuggets.end(), 1.0);
  return covariance;
}

// Location by location, field = (variance + jitter)^(1/2) normals + weights * values. The values are data or earlier
// entries of the field.
std::vector<double> draw_in_order(const LocalData& data, const std::vector<int>& order, const NeighborTable& neighbors,
                                  const ConditionalMoments& moments, const Eigen::VectorXd& jitter,
                                  const double* normals, const RunContext& context) {
  const Index n = data.coords.n;
  const int draws = data.columns;
  std::vector<double> field(std::size_t(moments.targets()) * draws);
  Index work = 0;
  for (const int j : order) {
    work += Index(neighbors.k + 1) * draws;
    if (context.check_interrupt && work > 10000000) {
      context.check_interrupt();
      work = 0;
    }
    double* result = field.data() + Index(j) * draws;
    const double sd = std::sqrt(moments.variance()[j] + jitter[j]);
    for (int s = 0; s < draws; ++s) result[s] = sd * normals[Index(j) * draws + s];
    for (int r = 0; r < neighbors.k; ++r) {
      const Index row = neighbors[j][r];
      if (row < 0) continue;
      const double weight = moments.weights(j)[r];
      const double* values = row < n ? data.values + row * draws : field.data() + (row - n) * draws;
      for (int s = 0; s < draws; ++s) result[s] += weight * values[s];
    }
  }
  return field;
}

}  // namespace

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

void check_simulation(Points data, Points targets, const std::vector<int>& order, const NeighborTable& neighbors) {
  if (neighbors.n != targets.n || Index(order.size()) != targets.n)
    throw Error("The table of neighbours and the order must have one row for each new location.");
  check_coordinates(data);
  check_coordinates(targets);
  check_rows(neighbors.index, -1, data.n + targets.n);
  check_rows(order, 0, targets.n);
}

Simulation simulate_conditional(const LocalData& data, Points targets, const std::vector<int>& order,
                                const NeighborTable& neighbors, const Covariance& covariance, const double* normals,
                                const RunContext& context, const int* target_outputs) {
  const Index n = data.coords.n;
  const Index m = targets.n;
  check_simulation(data.coords, targets, order, neighbors);
  check_outputs(data.outputs, n, covariance);
  check_outputs(target_outputs, m, covariance);

  const std::vector<double> coords = joined_coords(data, targets);
  const std::vector<int> outputs = joined_outputs(data, target_outputs, m);
  const PreparedCovariance prepared = prepare(covariance, data.coords.dim, false);
  const Eigen::VectorXd field_variance =
      field_variances(prepared, {coords.data(), n + m, targets.dim}, outputs.empty() ? nullptr : outputs.data());
  Eigen::VectorXd noise = Eigen::VectorXd::Zero(n + m);
  noise.head(n) = noise_variances(prepared, data.noise_scale, n, data.outputs);

  const PreparedCovariance unit = prepare(with_unit_nuggets(covariance), data.coords.dim, false);
  const LocalTargets given(targets, neighbors, target_outputs);
  LocalData joined{{coords.data(), n + m, targets.dim}};
  joined.outputs = target_outputs ? outputs.data() : data.outputs;
  Simulation result;
  for (const double jitter : simulation_jitters) {
    const Eigen::VectorXd noise_variance = noise + jitter * field_variance;
    joined.noise_scale = noise_variance.data();
    ConditionalMoments moments(joined, given, ConditionalMoments::Weights::kept, context);
    result.jitter = jitter;
    result.failed = moments.update(unit, context);
    if (result.failed >= 0) continue;
    result.field = draw_in_order(data, order, neighbors, moments, jitter * field_variance.tail(m), normals, context);
    break;
  }
  return result;
}

}  // namespace neargp
