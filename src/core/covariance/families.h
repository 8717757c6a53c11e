// The correlation families in the scaled distance r = distance / range.
//
// Each family is a small struct with one function,
//
//   evaluate<slope, shape>(r2, c, dc_dr2, dc_dshape).
//
// From the squared scaled distance r2 it computes the correlation c. With `slope` it also computes the derivative of c
// in r2, and with `shape` that in the family's shape parameter. All length parameters enter through r2 alone, so that
// no other derivatives are needed. Real is a double, a pack (simd/simd.h) or a Single.
//
// The exponential's slope is infinite at r = 0, where it is always multiplied by a squared coordinate difference that
// is zero. The smallest r is therefore 1e-150, or 1e-18 in single precision. This makes that product zero rather than
// not a number.
//
// A new family needs a struct and a line in the list at the end. Names, the check of its shape and the choice of its
// struct (with_family.h) follow from that line.
#pragma once

#include <type_traits>

#include "base/hd.h"
#include "simd/sine.h"
#include "simd/single.h"

namespace neargp {

template <class Real>
NEARGP_HD inline Real away_from_zero(Real x) {
  constexpr double smallest = std::is_same<Real, Single>::value ? 1e-36 : 1e-300;
  return larger(broadcast<Real>(smallest), x);  // x where it is no number
}

// The closed interval of shapes that a family accepts. `message` says so in an error. It is null for a family without a
// shape.
struct ShapeDomain {
  double lower, upper;
  const char* message;
};

inline constexpr ShapeDomain no_shape{0.0, 0.0, nullptr};
inline constexpr double least_positive = 5e-324, greatest_finite = 1.7976931348623157e308;

// exp(-r)
struct Exponential {
  static constexpr ShapeDomain domain = no_shape;

  template <bool slope, bool shape, class Real>
  NEARGP_HD void evaluate(Real r2, Real& c, Real& dc_dr2, Real&) const {
    const Real r = math::sqrt(away_from_zero(r2));
    c = math::exp(-r);
    if (slope) dc_dr2 = -0.5 * c / r;
  }
};

// (1 + r) exp(-r). The derivative in r^2 of the Matérn correlation M_nu of smoothness nu is -M_{nu-1} / (4 nu - 4).
struct Matern32 {
  template <bool slope, bool shape, class Real>
  NEARGP_HD void evaluate(Real r2, Real& c, Real& dc_dr2, Real&) const {
    const Real r = math::sqrt(r2);
    const Real e = math::exp(-r);
    c = e + r * e;
    if (slope) dc_dr2 = -0.5 * e;
  }
};

// (1 + r + r^2/3) exp(-r)
struct Matern52 {
  template <bool slope, bool shape, class Real>
  NEARGP_HD void evaluate(Real r2, Real& c, Real& dc_dr2, Real&) const {
    const Real r = math::sqrt(r2);
    const Real e = math::exp(-r);
    c = (1.0 + r + r2 * (1.0 / 3)) * e;
    if (slope) dc_dr2 = (-1.0 / 6) * (1.0 + r) * e;
  }
};

// (1 + r + 2r^2/5 + r^3/15) exp(-r)
struct Matern72 {
  template <bool slope, bool shape, class Real>
  NEARGP_HD void evaluate(Real r2, Real& c, Real& dc_dr2, Real&) const {
    const Real r = math::sqrt(r2);
    const Real e = math::exp(-r);
    c = (1.0 + r + r2 * (0.4 + r * (1.0 / 15))) * e;
    if (slope) dc_dr2 = -0.1 * (1.0 + r + r2 * (1.0 / 3)) * e;
  }
};

// exp(-r^2)
struct Gaussian {
  static constexpr ShapeDomain domain = no_shape;

  template <bool slope, bool shape, class Real>
  NEARGP_HD void evaluate(Real r2, Real& c, Real& dc_dr2, Real&) const {
    c = math::exp(-r2);
    if (slope) dc_dr2 = -c;
  }
};

// exp(-r^power), 0 < power <= 2
template <class Number>
struct PoweredExponential {
  static constexpr ShapeDomain domain{least_positive, 2.0,
                                      "The power of a powered exponential covariance must lie in (0, 2]."};
  Number power;
  template <bool slope, bool shape, class Real>
  NEARGP_HD void evaluate(Real r2, Real& c, Real& dc_dr2, Real& dc_dshape) const {
    const Real safe = away_from_zero(r2);
    const Real log_r2 = math::log(safe);
    const Real zero = Real{};
    // exactly 0 at r = 0: for a small power 1e-150^power is not
    const Real r_power = r2 > 0.0 ? math::exp((0.5 * power) * log_r2) : zero;
    c = math::exp(-r_power);
    if (slope) dc_dr2 = (-0.5 * power) * r_power * c / safe;
    if (shape) dc_dshape = -0.5 * log_r2 * r_power * c;
  }
};

// (1 + r^2)^(-shape); the rational quadratic with range * sqrt(2 shape)
template <class Number>
struct Cauchy {
  static constexpr ShapeDomain domain{least_positive, greatest_finite,
                                      "The shape of a Cauchy covariance must be positive."};
  Number exponent;
  template <bool slope, bool shape, class Real>
  NEARGP_HD void evaluate(Real r2, Real& c, Real& dc_dr2, Real& dc_dshape) const {
    const Real base = 1.0 + r2;
    const Real log_base = math::log(base);
    c = math::exp(-exponent * log_base);
    if (slope) dc_dr2 = -exponent * c / base;
    if (shape) dc_dshape = -log_base * c;
  }
};

// 1 - r^2. On the sphere of radius 1 / sqrt(2), with points t / (sqrt(2) |t|), this is the cosine of
// the angle between two t. Component::by multiplies it by |t| |t'|, which makes it their inner product.
struct Cosine {
  static constexpr ShapeDomain domain = no_shape;

  template <bool slope, bool shape, class Real>
  NEARGP_HD void evaluate(Real r2, Real& c, Real& dc_dr2, Real&) const {
    c = 1.0 - r2;
    if (slope) dc_dr2 = 0.0 * r2 - 1.0;
  }
};

// The part of 1 - r inside the support. Formulas in it stay finite where r overflows.
template <class Real>
NEARGP_HD inline __attribute__((always_inline)) Real inside_support(Real r) {
  return larger(1.0 - r, Real{});
}

// 1 - 3r/2 + r^3/2 up to r = 1, then 0. With u = 1 - r the formula is
//   c = u^2(3 - u)/2,   dc/dr = -3u(2 - u)/2.
struct Spherical {
  static constexpr ShapeDomain domain = no_shape;

  template <bool slope, bool shape, class Real>
  NEARGP_HD void evaluate(Real r2, Real& c, Real& dc_dr2, Real&) const {
    const Real r = math::sqrt(away_from_zero(r2));
    const Real u = inside_support(r);
    c = (u * u) * (1.5 - 0.5 * u);
    if (slope) dc_dr2 = -0.75 * u * (2.0 - u) / r;
  }
};

// The functions phi_{3,k} of Wendland (1995), positive definite in up to three dimensions and 2k times differentiable
// at r = 0. They are 0 from r = 1. Below it, u is 1 - r.
//   k=0:  c=u^2,   dc/dr=-2u.
//   k=1:  c=u^4(1+4r),   dc/dr=-20ru^3.
//   k=2:  c=u^6(1+6r+35r^2/3),   dc/dr=-(56/3)r(1+5r)u^5.
template <class Number>
struct Wendland {
  static constexpr ShapeDomain domain{0.0, 2.0, "The smoothness of a Wendland covariance must be 0, 1 or 2."};
  Number smoothness;  // k
  template <bool slope, bool shape, class Real>
  NEARGP_HD void evaluate(Real r2, Real& c, Real& dc_dr2, Real& dc_dshape) const {
    const Real r = math::sqrt(away_from_zero(r2));
    const Real u = inside_support(r);
    const Real u2 = u * u;
    if (smoothness < 0.5) {
      c = u2;
      if (slope) dc_dr2 = -u / r;
    } else if (smoothness < 1.5) {
      c = (u2 * u2) * (5.0 - 4.0 * u);
      if (slope) dc_dr2 = -10.0 * u2 * u;
    } else {
      const Real inner = 1.0 - u;
      c = (u2 * u2) * u2 * (1.0 + inner * (6.0 + inner * (35.0 / 3)));
      if (slope) dc_dr2 = (-28.0 / 3) * (u2 * u2) * u * (6.0 - 5.0 * u);
    }
    if (shape) dc_dshape = Real{};  // whole numbers: none
  }
};

// sin(r) / r, positive definite in up to three dimensions. With its value c, dc/dr^2 = (cos(r) - c)/(2r^2).
// Without whole turns r is 2a with |a| <= pi / 2, so that sin(r) = 2 sin(a) cos(a) and cos(r) = 1 - 2 sin(a)^2.
// Rounding of the turns errs by r times the rounding error of 1. That is divided by r.
struct Wave {
  static constexpr ShapeDomain domain = no_shape;

  template <bool slope, bool shape, class Real>
  NEARGP_HD void evaluate(Real r2, Real& c, Real& dc_dr2, Real&) const {
    const Real safe = away_from_zero(r2);
    const Real r = math::sqrt(safe);
    constexpr double half_pi = 1.57079632679489661923;
    const Real a = within(0.5 * (r - (4.0 * half_pi) * nearest_integer(r * (0.25 / half_pi))), half_pi);
    const Real sine_ratio = quarter_sine_ratio(a * a);
    c = (2.0 * a / r) * sine_ratio * quarter_cosine(a * a);
    if (slope) {
      const Real sine = a * sine_ratio;
      dc_dr2 = (0.5 - sine * sine - 0.5 * c) / safe;
    }
  }
};

// exp(-2 sin(pi r)^2 / l^2) for points on a line, where r counts periods. It is the Gaussian covariance of points on a
// circle. Only the distance from the nearest whole period counts.
template <class Number>
struct Periodic {
  static constexpr ShapeDomain domain{1e-3, 1e3,
                                      "The lengthscale of a periodic covariance must lie between 0.001 and 1000."};
  Number lengthscale;  // l
  template <bool slope, bool shape, class Real>
  NEARGP_HD void evaluate(Real r2, Real& c, Real& dc_dr2, Real& dc_dshape) const {
    const Real r = math::sqrt(away_from_zero(r2));
    constexpr double pi = 3.14159265358979323846;
    const Real a = pi * within(r - nearest_integer(r), 0.5);
    const Real sine = a * quarter_sine_ratio(a * a);
    const Number precision = 2.0 / (lengthscale * lengthscale);
    c = math::exp(-precision * (sine * sine));
    if (slope) dc_dr2 = (-pi * precision) * c * (sine / r) * quarter_cosine(a * a);
    if (shape) dc_dshape = (2.0 * precision / lengthscale) * c * (sine * sine);
  }
};

// The Matérn family of any smoothness: the closed forms above for halves up to 7/2, else tables (matern_table.h).
struct Matern {
  static constexpr ShapeDomain domain{0.01, 50.0,
                                      "The smoothness of a Matern covariance must lie between 0.01 and 50."};
};

// FAMILY(name, struct, initializer) for each family of one formula, where Number is the type of `shape`.
#define NEARGP_FORMULA_FAMILIES(FAMILY)                            \
  FAMILY(exponential, Exponential, {})                             \
  FAMILY(gaussian, Gaussian, {})                                   \
  FAMILY(cosine, Cosine, {})                                       \
  FAMILY(powered_exponential, PoweredExponential<Number>, {shape}) \
  FAMILY(cauchy, Cauchy<Number>, {shape})                          \
  FAMILY(spherical, Spherical, {})                                 \
  FAMILY(wendland, Wendland<Number>, {shape})                      \
  FAMILY(wave, Wave, {})                                           \
  FAMILY(periodic, Periodic<Number>, {shape})

enum class Family {
  matern,
#define NEARGP_FAMILY_NAME(name, Formula, initializer) name,
  NEARGP_FORMULA_FAMILIES(NEARGP_FAMILY_NAME)
#undef NEARGP_FAMILY_NAME
};

}  // namespace neargp
