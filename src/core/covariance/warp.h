// Warped coordinates: a coordinate of a component, in place of one of the points or beyond them, that is a sum of
// columns
//
//   z_i = sum_m w_m phi_m(i) / range,
//
// w_m a coefficient c_m (further coordinates, the dimension expansion of Bornn, Shaddick and Zidek 2012) or e^(a_m) (a
// monotone warp of one axis, where the phi_m rise). The metric stays that of a Euclidean space: no warp can fold it
// where the original coordinates are kept, or where each is a rising function of one of them. With r2 = |z_i - z_j|^2,
//
//   dk_ij/dc_m = T_ij (phi_m(i) - phi_m(j)) (dw_m/dc_m) / range,   T_ij = 2 (dk_ij/dr2) (z_i - z_j).
#pragma once

#include "covariance/prepared.h"

namespace neargp {

// Before it is divided by its range; `column(m)` gives a row's columns.
template <class Real, class Column>
Real warped_coordinate(const PreparedWarp& warp, const Column& column) {
  Real sum = Real{};
  for (int m = 0; m < warp.size(); ++m) sum += warp.weights[m] * column(warp.columns[m]);
  return sum;
}

}  // namespace neargp
