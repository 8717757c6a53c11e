#pragma once

#include "base/run_context.h"
#include "base/types.h"

namespace neargp {

// A view of n points, row-major: point i at data + i * dim. Owns nothing.
struct Points {
  const double* data = nullptr;
  Index n = 0;
  int dim = 0;

  const double* operator[](Index i) const { return data + i * dim; }
};

// The sum of squares, always in the order of the coordinates. Equal distances are equal as numbers only in this way.
inline double squared_distance(const double* a, const double* b, int dim) {
  double sum = 0.0;
  for (int c = 0; c < dim; ++c) sum += (a[c] - b[c]) * (a[c] - b[c]);
  return sum;
}

// Throw an Error unless all coordinates are finite, of one row or of all. The first such row is named.
void check_finite(Points points, Index row);
void check_finite(Points points, const RunContext& context);

}  // namespace neargp
