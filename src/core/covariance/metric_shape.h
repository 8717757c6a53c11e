// The metric of a component up to a common factor: neighbours change only when this does. A number for each coordinate,
// the logarithm of its range beside the first range, 0 for coordinates that are left out, and u and v of the
// anisotropy, zero where there is none, so that the metrics of components with other parameters can be compared; then
// the coefficients of warped coordinates.
#pragma once

#include <cmath>
#include <vector>

#include "covariance/covariance.h"

namespace neargp {

inline std::vector<double> metric_shape(const Component& component) {
  std::vector<double> shape;
  for (const int group : component.group)
    shape.push_back(group <= 0 ? 0.0 : std::log(component.range[group]) - std::log(component.range[0]));
  shape.push_back(component.anisotropic ? component.u : 0.0);
  shape.push_back(component.anisotropic ? component.v : 0.0);
  for (const WarpedCoordinate& warp : component.warps)
    shape.insert(shape.end(), warp.field.coefficients.begin(), warp.field.coefficients.end());
  return shape;
}

}  // namespace neargp
