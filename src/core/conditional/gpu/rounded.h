// Squared distances to the bit of the CPU's (geometry/points.h), by which ties are found.
#pragma once

#include "base/hd.h"

namespace neargp {
namespace rounded {

// Rounds each operation on its own, which CUDA's compiler would otherwise join.
NEARGP_HD inline double square_added(double sum, double x) {
#ifdef __CUDA_ARCH__
  return __dadd_rn(sum, __dmul_rn(x, x));
#else
  return sum + x * x;
#endif
}

}  // namespace rounded
}  // namespace neargp
