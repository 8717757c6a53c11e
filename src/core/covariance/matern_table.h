// The Matern correlation for any smoothness, and its derivative in the smoothness,
// as piecewise polynomials in the squared scaled distance.
//
//   M(r) = 2^(1-nu) / Gamma(nu) r^nu K_nu(r).
//
// M is analytic in x = r^2 away from x = 0, so on intervals whose width is a fixed
// fraction of their position (16 to an octave, the interval read off the bits of x)
// the polynomials of degree 7 through Chebyshev nodes converge at a rate of about 64
// per degree: errors stay below 1e-14 (3e-14 at nu = 50), and those of x dM/dx, the
// derivative of the polynomials, below 2e-12. The values at the nodes come from the
// trapezoidal rule, which here converges exponentially and needs no case distinctions
// in nu or r (matern_quadrature.h). A table costs a few milliseconds and is built once
// per value of nu; an evaluation costs a cache line per lane and no exponential.
#pragma once

#include <vector>

#include "base/simd.h"

namespace neargp {

// What building a table needs to know of a smoothness.
struct MaternSmoothness {
  double nu, log_gamma, digamma;  // log Gamma(nu) and its derivative
};

struct MaternTable {
  static constexpr int degree = 7;
  static constexpr int per_octave = 16;
  static constexpr int first_octave = -100;  // below r = 2^-50 the correlation is taken as 1
  static constexpr int last_octave = 16;     // above r = 2^8 as 0
  static constexpr int intervals = (last_octave - first_octave) * per_octave;

  std::vector<double> value;  // intervals x 8 coefficients of 1, t, ..., t^7, t in [-1, 1)
  std::vector<double> shape;  // the same for the derivative in nu; empty if not wanted
};

// What the kernels see of a table.
struct MaternTabulated {
  const double* value_table;
  const double* shape_table;

  template <class V>
  static V polynomial(const double* const* coefficients, V t) {
    V p = V{};
    for (int power = MaternTable::degree; power >= 0; --power) {
      V a;
      for (int lane = 0; lane < PackTraits<V>::lanes; ++lane)
        set_lane(a, lane, coefficients[lane][power]);
      p = p * t + a;
    }
    return p;
  }

  template <class V>
  static V polynomial_slope(const double* const* coefficients, V t) {
    V p = V{};
    for (int power = MaternTable::degree; power >= 1; --power) {
      V a;
      for (int lane = 0; lane < PackTraits<V>::lanes; ++lane)
        set_lane(a, lane, power * coefficients[lane][power]);
      p = p * t + a;
    }
    return p;
  }

  template <bool want_slope, bool want_shape, class V>
  void evaluate(V r2, V& c, V& dc_dr2, V& dc_dshape) const {
    constexpr int lanes = PackTraits<V>::lanes;
    constexpr double smallest = 1.0 / (1ULL << 50) / (1ULL << 50);
    constexpr double largest = 65535.99;
    const V x = smaller(larger(r2, broadcast<V>(smallest)), broadcast<V>(largest));

    V t, octave;
    const double* value_rows[lanes];
    const double* shape_rows[lanes];
    for (int lane = 0; lane < lanes; ++lane) {
      const double x_lane = get_lane(x, lane);
      std::uint64_t bits;
      std::memcpy(&bits, &x_lane, sizeof bits);
      const std::int64_t interval = std::int64_t(bits >> 48) - (1023 + MaternTable::first_octave) * 16;
      value_rows[lane] = value_table + 8 * interval;
      if (want_shape) shape_rows[lane] = shape_table + 8 * interval;
      const std::uint64_t fraction_bits = (bits & 0x0000ffffffffffffULL) | 0x3ff0000000000000ULL;
      const std::uint64_t octave_bits = bits & 0x7ff0000000000000ULL;
      double fraction, octave_lane;
      std::memcpy(&fraction, &fraction_bits, sizeof fraction);
      std::memcpy(&octave_lane, &octave_bits, sizeof octave_lane);
      set_lane(t, lane, fraction);
      set_lane(octave, lane, octave_lane);
    }
    t = (t - 1.0) * 32.0 - 1.0;

    const V zero = V{};
    const V one = zero + 1.0;
    c = polynomial(value_rows, t);
    c = r2 < smallest ? one : c;
    c = r2 > largest ? zero : c;
    if (want_slope) {
      dc_dr2 = polynomial_slope(value_rows, t) * 32.0 / octave;
      dc_dr2 = r2 < smallest ? zero : dc_dr2;
      dc_dr2 = r2 > largest ? zero : dc_dr2;
    }
    if (want_shape) {
      dc_dshape = polynomial(shape_rows, t);
      dc_dshape = r2 < smallest ? zero : dc_dshape;
      dc_dshape = r2 > largest ? zero : dc_dshape;
    }
  }
};

}  // namespace neargp
