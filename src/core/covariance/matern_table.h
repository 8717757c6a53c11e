// The Matérn correlation for any smoothness, and its derivative in the smoothness, as piecewise polynomials in the
// squared scaled distance.
//
//   M(r) = 2^(1-nu) / Gamma(nu) r^nu K_nu(r).
//
// M is analytic in x = r^2 away from x = 0. The width of an interval is therefore a fixed fraction of its position,
// with 16 intervals to an octave. The bits of x give the interval. Polynomials of degree 7 through Chebyshev nodes
// converge at a rate of about 64 per degree. Errors stay below 1e-14, or 3e-14 at nu = 50. Those of x dM/dx, the
// derivative of the polynomials, stay below 2e-12. The values at the nodes come from the trapezoidal rule, which here
// converges exponentially and needs no case distinctions in nu or r (matern_quadrature.h). A table costs a few
// milliseconds and is built once per value of nu. An evaluation costs a cache line per lane and no exponential.
#pragma once

#include <vector>

#include "simd/simd.h"

namespace neargp {

// Constants of a smoothness from which a table is built.
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

// A table as kernels see it, of doubles, or of floats for Singles.
template <class Entry>
struct MaternTabulated {
  const Entry* value_table;
  const Entry* shape_table;

  static constexpr double smallest = 1.0 / (1ULL << 50) / (1ULL << 50);
  static constexpr double largest = 65535.99;

  template <bool want_slope, bool want_shape, class V>
  NEARGP_HD void evaluate(V r2, V& c, V& dc_dr2, V& dc_dshape) const {
    using Format = PackTraits<V>;
    using Bits = typename Format::Bits;
    using Word = typename Format::Word;
    // the first four bits of the mantissa number an octave's intervals
    constexpr int further_bits = Format::mantissa_bits - 4;
    constexpr Word of_one = Word(Format::exponent_bias) << Format::mantissa_bits;
    const V x = smaller(larger(r2, broadcast<V>(smallest)), broadcast<V>(largest));
    const Bits bits = same_bits<Bits>(x);
    const Bits interval = (bits >> further_bits) - Word((Format::exponent_bias + MaternTable::first_octave) * 16);
    const V fraction = same_bits<V>((bits & ((Word(1) << further_bits) - 1)) | of_one);
    const V t = (fraction - 1.0) * 32.0 - 1.0;
    const auto inside = (r2 >= smallest) & (r2 <= largest);
    const V zero = V{};

    V a[8];
    load_rows(value_table, interval, a);
    const V value = polynomial(a, t);
    c = inside ? value : (r2 < smallest ? zero + 1.0 : zero);
    if constexpr (want_slope) {
      // dt/dx = 32 / 2^octave; the reciprocal of a power of two by its exponent
      constexpr Word octave_bits = (2 * Word(Format::exponent_bias) + 1) << Format::mantissa_bits;
      const V inverse_octave = same_bits<V>(2 * of_one - (bits & octave_bits));
      unrolled<7>([&](auto i) { a[decltype(i)::value] = (decltype(i)::value + 1.0) * a[decltype(i)::value + 1]; });
      a[7] = zero;
      dc_dr2 = inside ? polynomial(a, t) * 32.0 * inverse_octave : zero;
    }
    if constexpr (want_shape) {
      load_rows(shape_table, interval, a);
      dc_dshape = inside ? polynomial(a, t) : zero;
    }
  }

 private:
  // a[power], lane by lane, from row interval[lane] of the table: rows are loaded whole
  // and transposed in registers, as many at a time as there are lanes. A single lane loads numbers, which devices would
  // otherwise copy byte by byte.
  template <class V, class Bits>
  NEARGP_HD static inline __attribute__((always_inline)) void load_rows(const Entry* table, Bits interval, V* a) {
    constexpr int lanes = PackTraits<V>::lanes;
    unrolled<8 / lanes>([&](auto part) __attribute__((always_inline)) {
      constexpr int first = decltype(part)::value * lanes;
      unrolled<lanes>([&](auto lane) __attribute__((always_inline)) {
        constexpr int l = decltype(lane)::value;
        const Entry* from = table + 8 * get_lane(interval, l) + first;
        if constexpr (lanes == 1)
          a[first] = *from;
        else
          std::memcpy(a + first + l, from, sizeof(V));
      });
      transpose(a + first);
    });
  }

  template <class V>
  NEARGP_HD static inline __attribute__((always_inline)) V polynomial(const V* a, V t) {
    const V t2 = t * t;
    const V t4 = t2 * t2;
    return (a[0] + a[1] * t) + t2 * (a[2] + a[3] * t) + t4 * ((a[4] + a[5] * t) + t2 * (a[6] + a[7] * t));
  }
};

}  // namespace neargp
