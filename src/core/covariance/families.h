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
#include "simd/simd.h"
#include "simd/single.h"

namespace neargp {

template <class Real>
NEARGP_HD inline Real away_from_zero(Real x) {
  constexpr double smallest = std::is_same<Real, Single>::value ? 1e-36 : 1e-300;
  return x > smallest ? x : x + smallest;
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
  FAMILY(cauchy, Cauchy<Number>, {shape})

enum class Family {
  matern,
#define NEARGP_FAMILY_NAME(name, Formula, initializer) name,
  NEARGP_FORMULA_FAMILIES(NEARGP_FAMILY_NAME)
#undef NEARGP_FAMILY_NAME
};

}  // namespace neargp
