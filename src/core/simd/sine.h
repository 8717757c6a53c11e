// Sine and cosine of angles of at most a quarter turn, and the steps that bring others there. They are polynomials
// without branches, for doubles, packs and Singles, on CPUs and GPUs.
#pragma once

#include "simd/simd.h"

namespace neargp {

// Adding 1.5 times the number whose last bit is 1 rounds to an integer. Beyond it, the result is x up to rounding.
template <class Real>
NEARGP_HD inline __attribute__((always_inline)) Real nearest_integer(Real x) {
  constexpr double magic = PackTraits<Real>::mantissa_bits == 52 ? 6755399441055744.0 : 12582912.0;
  return (x + magic) - magic;
}

// x between -limit and limit, also where x is no number.
template <class Real>
NEARGP_HD inline __attribute__((always_inline)) Real within(Real x, double limit) {
  return smaller(larger(x, broadcast<Real>(-limit)), broadcast<Real>(limit));
}

// sin(a) / a from a^2, for |a| <= pi / 2: the series to a^20, whose next term is below 1e-18.
template <class Real>
NEARGP_HD inline __attribute__((always_inline)) Real quarter_sine_ratio(Real a2) {
  Real p = -1.0 / 121645100408832000.0 + a2 * (1.0 / 51090942171709440000.0);
  p = 1.0 / 355687428096000.0 + a2 * p;
  p = -1.0 / 1307674368000.0 + a2 * p;
  p = 1.0 / 6227020800.0 + a2 * p;
  p = -1.0 / 39916800.0 + a2 * p;
  p = 1.0 / 362880.0 + a2 * p;
  p = -1.0 / 5040.0 + a2 * p;
  p = 1.0 / 120.0 + a2 * p;
  p = -1.0 / 6.0 + a2 * p;
  return 1.0 + a2 * p;
}

// cos(a) from a^2, for |a| <= pi / 2: the series to a^20, whose next term is below 2e-17.
template <class Real>
NEARGP_HD inline __attribute__((always_inline)) Real quarter_cosine(Real a2) {
  Real p = -1.0 / 6402373705728000.0 + a2 * (1.0 / 2432902008176640000.0);
  p = 1.0 / 20922789888000.0 + a2 * p;
  p = -1.0 / 87178291200.0 + a2 * p;
  p = 1.0 / 479001600.0 + a2 * p;
  p = -1.0 / 3628800.0 + a2 * p;
  p = 1.0 / 40320.0 + a2 * p;
  p = -1.0 / 720.0 + a2 * p;
  p = 1.0 / 24.0 + a2 * p;
  p = -1.0 / 2.0 + a2 * p;
  return 1.0 + a2 * p;
}

}  // namespace neargp
