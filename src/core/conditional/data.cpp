#include "conditional/data.h"

#include <cmath>
#include <string>

#include "base/error.h"

namespace neargp {

LocalView view_of(const LocalData& data, const LocalTargets& targets) {
  LocalView view;
  view.dim = data.coords.dim;
  view.k = targets.k;
  view.columns = data.columns;
  view.coords = data.coords.data;
  view.values = data.values;
  view.noise_scale = data.noise_scale;
  view.noise_parameters = data.noise_parameters;
  view.noise_derivatives = data.noise_derivatives;
  view.outputs = data.outputs;
  view.targets = targets.coords.n;
  view.target_coords = targets.coords.data;
  view.target_values = targets.values;
  view.target_noise_scale = targets.noise_scale;
  view.target_noise_derivatives = targets.noise_derivatives;
  view.target_outputs = targets.outputs;
  view.neighbors = targets.neighbors;
  return view;
}

void refuse_row(Index number, Index n) {
  throw Error("Row " + std::to_string(number) + " is referred to, but there are " + std::to_string(n) + " rows.");
}

void check_coordinates(Points points) {
  for (Index i = 0; i < points.n; ++i)
    for (int d = 0; d < points.dim; ++d)
      if (!(std::abs(points[i][d]) <= 1e30))
        throw Error("Coordinate " + std::to_string(d + 1) + " of row " + std::to_string(i + 1) +
                    " is not a number of at most 1e30 in size.");
}

void check_outputs(const int* outputs, Index n, const Covariance& covariance) {
  if (n == 0) return;
  if ((outputs != nullptr) != (covariance.outputs() > 0))
    throw Error("Rows of several outputs need a covariance with loadings, and no others do.");
  for (Index i = 0; outputs && i < n; ++i)
    if (outputs[i] < 0 || outputs[i] >= covariance.outputs())
      throw Error("Row " + std::to_string(i + 1) + " is of output " + std::to_string(outputs[i] + 1) +
                  ", but the covariance is one of " + std::to_string(covariance.outputs()) + " outputs.");
}

}  // namespace neargp
