// The probability p = 1 - exp(-t) of a positive count, where P(0) = exp(-t). For Poisson counts t = mean, and for
// negative binomial counts t = size log(1 + mean / size). In u = log t, the slope of log p is g = t / (e^t - 1). Its
// second derivative is g (1 - g - t). Below t = 1 both come from S = sinh(t/2)/(t/2): p = t exp(-t/2) S and
// g = exp(-t/2)/S. The zeros of p nearest to the real axis are at u = log(2 pi) +- i pi/2.
#pragma once

#include "likelihoods/special.h"
#include "likelihoods/terms.h"

namespace neargp {

// log p, its slope g, and 1 - g
template <class V>
struct PositivePart {
  V t, log_p, slope, complement;

  PositivePart(V at, V log_t) : t(at) {
    const V root = math::exp(-0.5 * t);
    const V q = root * root;
    const V u = 0.25 * t * t;
    const V s =
        1.0 +
        u * (1.0 / 6 +
             u * (1.0 / 120 + u * (1.0 / 5040 + u * (1.0 / 362880 + u * (1.0 / 39916800 + u * (1.0 / 6227020800.0))))));
    const auto small = t < 1.0;
    const V one = broadcast<V>(1.0);
    const V log_factor = math::log(small ? s : one - q);
    log_p = small ? log_t - 0.5 * t + log_factor : log_factor;
    slope = (small ? root : t * q) / (small ? s : one - q);
    // Bernoulli numbers over factorials: full relative accuracy where g is next to 1
    const V series = t * (0.5 - t * (1.0 / 12 - u * (1.0 / 180 - u * (1.0 / 1890 - u * (1.0 / 18900)))));
    complement = t < 0.25 ? series : 1.0 - slope;
  }

  // d2 log p / du2, and the third derivative
  V second() const { return slope * (complement - t); }
  V third() const {
    const V second_ = second();
    return second_ * (complement - t) - slope * (second_ + t);
  }
};

}  // namespace neargp
