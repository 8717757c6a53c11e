// The metric of a component up to a common factor: neighbours change only when this does. Each coordinate contributes
// the logarithm of its range beside the first range, or 0 if the component leaves it out. Then come u and v of the
// anisotropy, zero without one, so that the metrics of components with other parameters can be compared, and the
// coefficients of warped coordinates.
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
