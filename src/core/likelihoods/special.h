// Special functions of packs that the response families need beyond exp and log.
#pragma once

#include "base/constants.h"
#include "simd/simd.h"

namespace neargp {

template <class V>
inline V absolute(V x) {
  return larger(x, -x);
}

template <class V>
inline double max_lane(V x) {
  double result = get_lane(x, 0);
  for (int lane = 1; lane < PackTraits<V>::lanes; ++lane)
    if (get_lane(x, lane) > result) result = get_lane(x, lane);
  return result;
}

// log(1 + u) for 0 <= u <= 1, with full relative accuracy at small u: as in simd_log, 1 + u is halved above sqrt(2).
template <class V>
inline V log1p_unit(V u) {
  const V one = broadcast<V>(1.0);
  const V zero = V{};
  const auto upper = u > 0.41421356237309503;
  const V f = (upper ? u - 1.0 : u) / (upper ? u + 3.0 : u + 2.0);
  return twice_atanh(f) + (upper ? one : zero) * 0.69314718055994531;
}

// log(1 + e^x), the logistic function p of x, and 1 - p: none overflows or loses its tail.
template <class V>
struct Softplus {
  V value, probability, complement;
};

template <class V>
inline Softplus<V> softplus(V x) {
  const V u = math::exp(-absolute(x));
  const V large = 1.0 / (1.0 + u);
  const V small = u * large;
  const auto positive = x > 0.0;
  return {larger(x, V{}) + log1p_unit(u), positive ? large : small, positive ? small : large};
}

// Mills' ratio (1 - Phi(x)) / phi(x) for x >= 0. Times x + c, c = 4.5, it is smooth in t = (x - c)/(x + c), which goes
// from -1 to 1. The polynomial in t below is a truncated Chebyshev series with a relative error of 2e-15.
template <class V>
inline V mills_ratio(V x) {
  constexpr double even[] = {1.9131352239782874,     1.1190905025316276,     0.27919476587734276,
                             0.010587028522956253,   -0.0023004477615288952, 0.00028084213209239833,
                             -3.5663173501485244e-5, 5.3326597087118331e-6,  -9.0478665921146427e-7,
                             1.4278895025067999e-7,  -1.3809401447531338e-8};
  constexpr double odd[] = {-1.6048882049011382,   -0.63453239324724343,   -0.084902823912190880,
                            0.0043836683086869285, 1.5994394512899445e-5,  -3.9936200509701109e-5,
                            7.9936522016225398e-6, -1.2527747394964718e-6, 1.5768511415100946e-7,
                            -1.1964570195079416e-8};
  const V reciprocal = 1.0 / (x + 4.5);
  const V t = (x - 4.5) * reciprocal;
  const V t2 = t * t;
  V sum_even = broadcast<V>(even[10]);
  V sum_odd = broadcast<V>(odd[9]);
  unrolled<10>([&](auto i) __attribute__((always_inline)) { sum_even = even[9 - decltype(i)::value] + t2 * sum_even; });
  unrolled<9>([&](auto i) __attribute__((always_inline)) { sum_odd = odd[8 - decltype(i)::value] + t2 * sum_odd; });
  return (sum_even + t * sum_odd) * reciprocal;
}

template <class V>
inline V normal_density(V x) {
  return 0.39894228040143268 * math::exp(-0.5 * x * x);
}

// Phi at x >= 0, and its logarithms there and at -x.
template <class V>
struct NormalTails {
  V mills, density, upper, log_lower, log_upper;

  explicit NormalTails(V x)
      : mills(mills_ratio(x)), density(normal_density(x)), upper(1.0 - density * mills),
        log_lower(math::log(mills) - 0.5 * x * x - half_log_two_pi), log_upper(math::log(upper)) {}
};

// log Gamma(x + 1) and its first three derivatives, for x >= 0.
template <class V>
struct LogGamma {
  V value, digamma, trigamma, tetragamma;
};

// Up to x = 8, Gamma(x + 1) = Gamma(x + 9) / P(x), where P(x) is the product of x + 1, ..., x + 8. The derivatives of P
// are computed while its factors are multiplied. Stirling's series, to B_14, leaves less than 1e-15 from w = 9 on.
template <class V>
inline LogGamma<V> log_gamma_1p(V x) {
  const V one = broadcast<V>(1.0);
  const V zero = V{};
  V p = one, p1 = zero, p2 = zero, p3 = zero;
  unrolled<8>([&](auto i) __attribute__((always_inline)) {
    const V factor = x + (1.0 + decltype(i)::value);
    p3 = p3 * factor + 3.0 * p2;
    p2 = p2 * factor + 2.0 * p1;
    p1 = p1 * factor + p;
    p = p * factor;
  });
  const auto shifted = x < 8.0;
  p = shifted ? p : one;
  const V q1 = (shifted ? p1 : zero) / p;
  const V q2 = (shifted ? p2 : zero) / p;
  const V q3 = (shifted ? p3 : zero) / p;
  const V w = shifted ? x + 9.0 : x + 1.0;
  const V r = 1.0 / w;
  const V s = r * r;
  const V log_w = math::log(w);
  // B_2k: 1/6, -1/30, 1/42, -1/30, 5/66, -691/2730, 7/6
  const V value =
      1.0 / 12 + s * (-1.0 / 360 + s * (1.0 / 1260 + s * (-1.0 / 1680 +
                                                          s * (1.0 / 1188 + s * (-691.0 / 360360 + s * (1.0 / 156))))));
  const V digamma =
      1.0 / 12 +
      s * (-1.0 / 120 + s * (1.0 / 252 + s * (-1.0 / 240 + s * (1.0 / 132 + s * (-691.0 / 32760 + s * (1.0 / 12))))));
  const V trigamma =
      1.0 / 6 +
      s * (-1.0 / 30 + s * (1.0 / 42 + s * (-1.0 / 30 + s * (5.0 / 66 + s * (-691.0 / 2730 + s * (7.0 / 6))))));
  const V tetragamma =
      1.0 / 2 + s * (-1.0 / 6 + s * (1.0 / 6 + s * (-3.0 / 10 + s * (5.0 / 6 + s * (-691.0 / 210 + s * (35.0 / 2))))));
  return {(w - 0.5) * log_w - w + half_log_two_pi + r * value - math::log(p), log_w - 0.5 * r - s * digamma - q1,
          r + 0.5 * s + r * s * trigamma - (q2 - q1 * q1),
          -s - r * s - s * s * tetragamma - (q3 - 3.0 * q1 * q2 + 2.0 * q1 * q1 * q1)};
}

}  // namespace neargp
