// The zero of negative binomial counts: P(0) = exp(-t) with t = size log(1 + e^psi) and psi = eta - log size. Let s be
// log(1 + e^psi), p the logistic function of psi, and q = 1 - p. The derivatives of t in eta are
//   t' = size p =: a,      t'' = a q,      t''' = a q (q - p).
// The derivatives of log t are r = p / s, r (q - r), ...
#pragma once

#include "likelihoods/special.h"

namespace neargp {

template <class V>
struct ZeroOfCounts {
  V t, log_t, a, complement, rise;  // rise = r

  ZeroOfCounts(double size, V log_size, V psi, const Softplus<V>& at)
      : t(size * at.value), a(size * at.probability), complement(at.complement) {
    // Below psi = -30 the logarithm s is e^psi.
    const auto low = psi < -30.0;
    const V one = broadcast<V>(1.0);
    log_t = log_size + (low ? psi : math::log(low ? one : at.value));
    rise = low ? one : at.probability / (low ? one : at.value);
  }

  V second() const { return a * complement; }
  V third() const { return a * complement * (2.0 * complement - 1.0); }
  V rise_slope() const { return rise * (complement - rise); }
  V rise_curvature() const {
    return rise_slope() * (complement - rise) - rise * (rise_slope() + (1.0 - complement) * complement);
  }
};

}  // namespace neargp
