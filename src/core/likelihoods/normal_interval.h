// The probability P = Phi(b) - Phi(a) of a standard normal variable between a and b. L = log P is differentiated in a
// shift x of both ends, a - x and b - x. With fa = phi(a)/P and fb = phi(b)/P,
//   L' = fa - fb,    L'' = a fa - b fb - L'^2.
// Let ga = a^2 - 1 - a L' and gb = b^2 - 1 - b L'. Then
//   L''' = ga fa - gb fb - 2 L' L''.
// An interval with more of its mass to the right is reflected, so that P = Phi(b) (1 - Phi(a) / Phi(b)) keeps its
// digits.
#pragma once

#include "likelihoods/special.h"

namespace neargp {

// log Phi
template <class V>
inline V log_normal_distribution(V x) {
  const NormalTails<V> tails(absolute(x));
  return x > 0.0 ? tails.log_upper : tails.log_lower;
}

template <class V>
struct NormalInterval {
  V log_p, of_a, of_b, slope, second, third;  // of_a = fa, of_b = fb

  NormalInterval(V a, V b) {
    const auto right = a + b > 0.0;
    const V low = right ? -b : a, high = right ? -a : b;
    const V of_high = log_normal_distribution(high);
    // below 0, so that neither logarithm below is of 0
    const V ratio = smaller(math::exp(log_normal_distribution(low) - of_high), broadcast<V>(1.0 - 1e-15));
    log_p = of_high + math::log(1.0 - ratio);
    of_a = density_ratio(a);
    of_b = density_ratio(b);
    slope = of_a - of_b;
    second = a * of_a - b * of_b - slope * slope;
    third = (a * a - 1.0 - a * slope) * of_a - (b * b - 1.0 - b * slope) * of_b - 2.0 * slope * second;
  }

 private:
  V density_ratio(V x) const { return math::exp(-0.5 * x * x - half_log_two_pi - log_p); }
};

// Finite numbers in place of infinite ends, so that the formulas above need no other branch. They are 40 beyond the
// other end, or beyond 0, where nothing is left of the density.
template <class V>
inline V open_lower_end(V b) {
  return smaller(b, V{}) - 40.0;
}

template <class V>
inline V open_upper_end(V a) {
  return larger(a, V{}) + 40.0;
}

}  // namespace neargp
