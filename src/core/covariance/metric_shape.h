// The metric of a component up to a common factor: neighbours change only when this does. Each coordinate contributes
// the logarithm of the ratio of its range to the first range, or 0 if the component leaves it out. The five numbers of
// an anisotropy follow (rotation.h), of which the last three are zero in a plane, and all without one. Then come the
// coefficients of warped coordinates. The metrics of components with other parameters can therefore be compared.
#pragma once

#include <cmath>
#include <vector>

#include "covariance/covariance.h"

namespace neargp {

inline std::vector<double> metric_shape(const Component& component) {
  std::vector<double> shape;
  for (const int group : component.group)
    shape.push_back(group <= 0 ? 0.0 : std::log(component.range[group]) - std::log(component.range[0]));
  std::vector<double> axes = component.anisotropy;
  axes.resize(5, 0.0);
  shape.insert(shape.end(), axes.begin(), axes.end());
  for (const WarpedCoordinate& warp : component.warps)
    shape.insert(shape.end(), warp.field.coefficients.begin(), warp.field.coefficients.end());
  return shape;
}

}  // namespace neargp
