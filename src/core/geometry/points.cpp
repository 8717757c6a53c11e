#include "geometry/points.h"

#include <cmath>
#include <string>

#include "base/error.h"
#include "parallel/parallel_for.h"

namespace neargp {

void check_finite(Points points, Index row) {
  for (int c = 0; c < points.dim; ++c)
    if (!std::isfinite(points[row][c]))
      throw Error("Coordinate " + std::to_string(c + 1) + " of row " + std::to_string(row + 1) + " is not finite.");
}

void check_finite(Points points, const RunContext& context) {
  parallel_ranges(context, points.n, light_range, [&](Index first, Index last, Index) {
    for (Index row = first; row < last; ++row) check_finite(points, row);
  });
}

}  // namespace neargp
