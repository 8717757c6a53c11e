#pragma once

#include "../base/types.h"

namespace neargp {

// A view of n points, row-major: point i at data + i * dim. Owns nothing.
struct Points {
  const double* data = nullptr;
  Index n = 0;
  int dim = 0;

  const double* operator[](Index i) const { return data + i * dim; }
};

}  // namespace neargp
