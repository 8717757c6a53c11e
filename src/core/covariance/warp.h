// Warped coordinates. A warped coordinate of a component replaces one of the points' coordinates or is added to them.
// It is a sum of columns:
//
//   z_i = sum_m w_m phi_m(i) / range.
//
// For further coordinates w_m is a coefficient c_m, as in the dimension expansion of Bornn, Shaddick and Zidek (2012).
// For a monotone warp of one axis, where the phi_m rise, w_m is e^(c_m). The metric stays that of a Euclidean space. No
// warp can fold it where the original coordinates are kept, or where each is a rising function of one of them. Let r2 =
// |z_i - z_j|^2 and T_ij = 2 dk_ij/dr2 [z_i - z_j]. Then
//
//   dk_ij/dc_m = T_ij [phi_m(i) - phi_m(j)] dw_m/dc_m / range.
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
