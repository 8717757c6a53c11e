// The objective of LOO-k (Jankowiak and Pleiss 2022, eq. 9) and Vecchia's approximation at one target, for packs and
// doubles.
#pragma once

#include "base/constants.h"
#include "base/hd.h"
#include "simd/simd.h"

namespace neargp {

// log N(e; 0, f) and its derivatives in the residual e and the conditional variance f.
template <class Real>
NEARGP_HD inline Real normal_log_density(Real e, Real f, Real& ebar, Real& fbar) {
  const Real inverse = 1.0 / f;
  ebar = -e * inverse;
  fbar = 0.5 * (e * e * inverse - 1.0) * inverse;
  return -0.5 * (log_two_pi + math::log(f) + e * e * inverse);
}

}  // namespace neargp
