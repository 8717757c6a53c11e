// The coordinate in which rows spread the most.
#pragma once

#include <algorithm>
#include <limits>

#include "geometry/points.h"

namespace neargp {

// `row_at(i)`: the row of entry i of `count`. Every `step`th entry is read.
template <class RowAt>
int widest_coordinate(Points points, Index count, Index step, const RowAt& row_at) {
  if (points.dim == 1) return 0;
  int widest = 0;
  double width = -1.0;
  for (int c = 0; c < points.dim; ++c) {
    double low = std::numeric_limits<double>::infinity(), high = -low;
    for (Index i = 0; i < count; i += step) {
      const double x = points[row_at(i)][c];
      low = std::min(low, x);
      high = std::max(high, x);
    }
    if (high - low > width) {
      width = high - low;
      widest = c;
    }
  }
  return widest;
}

}  // namespace neargp
