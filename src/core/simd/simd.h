// Packs of doubles, one point per lane, and the elementary functions that the
// covariances need on them.
//
// The packs are compiler vector types (GCC and clang). Arithmetic, comparisons and
// `mask ? a : b` therefore read the same for a pack and for a plain double. The functions
// for which the vector types lack an operator are in instructions.h.
// Translation units compiled for different instruction sets instantiate these
// templates with packs of different width. No function here may be one of plain
// doubles only, because the linker could share it between these units.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

#include "base/hd.h"
#include "simd/instructions.h"

namespace neargp {

// How a number in double precision (IEEE 754) is stored in the bits of a word.
struct DoubleFormat {
  using Word = std::uint64_t;
  static constexpr int mantissa_bits = 52, exponent_bias = 1023;
};

template <class V>
struct PackTraits : DoubleFormat {
  static constexpr int lanes = int(sizeof(V) / sizeof(double));
  using Bits = typename Pack<lanes>::Bits;
};

template <>
struct PackTraits<double> : DoubleFormat {
  static constexpr int lanes = 1;
  using Bits = std::uint64_t;
};

template <class V>
NEARGP_HD inline auto get_lane(const V& x, int lane) {
  if constexpr (std::is_arithmetic<V>::value) {
    return x;
  } else {
    return x[lane];
  }
}

template <class V>
inline void set_lane(V& x, int lane, double value) {
  x[lane] = value;
}
template <>
inline void set_lane<double>(double& x, int, double value) {
  x = value;
}

template <class V>
NEARGP_HD inline V broadcast(double value) {
  return V{} + value;
}

// The same bits as another type of the same size.
template <class To, class From>
NEARGP_HD inline To same_bits(From from) {
  To to;
  std::memcpy(static_cast<void*>(&to), &from, sizeof to);
  return to;
}

namespace detail {

template <class Action, std::size_t... I>
NEARGP_HD inline __attribute__((always_inline)) void unrolled(const Action& action, std::index_sequence<I...>) {
  (action(std::integral_constant<int, int(I)>()), ...);
}

// Lanes chosen by constants: 0 .. lanes-1 are those of a, lanes .. 2 lanes - 1 are those of b.
template <int... lane, class V>
inline V shuffle(V a, V b) {
#if defined(__clang__)
  return __builtin_shufflevector(a, b, lane...);
#else
  return __builtin_shuffle(a, b, typename PackTraits<V>::Bits{lane...});
#endif
}

// Exchanges the off-diagonal squares of side `Step` between two rows of a matrix.
template <int Step, class V, std::size_t... L>
inline void exchange(V& upper, V& lower, std::index_sequence<L...>) {
  constexpr int lanes = int(sizeof...(L));
  const V u = shuffle<(int(L) & Step ? lanes + (int(L) ^ Step) : int(L))...>(upper, lower);
  const V l = shuffle<(int(L) & Step ? lanes + int(L) : (int(L) ^ Step))...>(upper, lower);
  upper = u;
  lower = l;
}

}  // namespace detail

// action(i) for i = 0 .. Count-1, each a constant, so that arrays indexed by i live in
// registers. -O2 does not unroll such loops by itself.
template <int Count, class Action>
NEARGP_HD inline __attribute__((always_inline)) void unrolled(const Action& action) {
  detail::unrolled(action, std::make_index_sequence<Count>());
}

// Transposes the square matrix whose rows are `lanes` packs.
template <int Step = 1, class V>
NEARGP_HD inline __attribute__((always_inline)) void transpose(V* rows) {
  constexpr int lanes = PackTraits<V>::lanes;
  if constexpr (Step < lanes) {
    unrolled<lanes>([&](auto i) __attribute__((always_inline)) {
      if constexpr (!(decltype(i)::value & Step))
        detail::exchange<Step>(rows[i], rows[i | Step], std::make_index_sequence<lanes>());
    });
    transpose<2 * Step>(rows);
  }
}

// Lanes are added in order, so that a sum depends on nothing but the values.
template <class V>
inline double sum_lanes(const V& x) {
  double sum = 0.0;
  for (int lane = 0; lane < PackTraits<V>::lanes; ++lane) sum += get_lane(x, lane);
  return sum;
}

// exp(x) = 2^n exp(r), n = round(x / log 2), |r| <= log(2)/2. The second factor is
// computed by its Taylor series: 0.35^14 / 14! = 4e-18. Adding 1.5 * 2^52 rounds to an
// integer and leaves that integer in the low bits. A shift then moves it into the
// exponent. For arguments from -708 to 709.
template <class V>
NEARGP_HD inline V exp_series(V x) {
  using Bits = typename PackTraits<V>::Bits;
  constexpr double magic = 6755399441055744.0;
  const V shifted = x * 1.4426950408889634074 + magic;
  const V n = shifted - magic;
  V r = x - n * 6.93147180369123816490e-01;
  r = r - n * 1.90821492927058770002e-10;
  const V r2 = r * r;
  const V r4 = r2 * r2;
  // Estrin's scheme: short chains of dependent operations
  const V p01 = 1.0 + r;
  const V p23 = 0.5 + r * (1.0 / 6);
  const V p45 = 1.0 / 24 + r * (1.0 / 120);
  const V p67 = 1.0 / 720 + r * (1.0 / 5040);
  const V p89 = 1.0 / 40320 + r * (1.0 / 362880);
  const V pab = 1.0 / 3628800 + r * (1.0 / 39916800);
  const V pcd = 1.0 / 479001600 + r * (1.0 / 6227020800.0);
  const V low = p01 + r2 * p23 + r4 * (p45 + r2 * p67);
  const V high = p89 + r2 * pab + r4 * pcd;
  const V p = low + (r4 * r4) * high;
  return same_bits<V>(same_bits<Bits>(p) + (same_bits<Bits>(shifted) << 52));
}

// Arguments below -708 give exp(-708) = 3e-308.
template <class V>
inline V simd_exp(V x) {
  return exp_series(larger(smaller(x, broadcast<V>(709.0)), broadcast<V>(-708.0)));
}

// 2 atanh(f) = log((1 + f)/(1 - f)) for |f| <= 0.172: the odd series to f^21 leaves 2e-17.
template <class V>
inline V twice_atanh(V f) {
  const V s = f * f;
  V p = 1.0 / 19 + s * (1.0 / 21);
  p = 1.0 / 17 + s * p;
  p = 1.0 / 15 + s * p;
  p = 1.0 / 13 + s * p;
  p = 1.0 / 11 + s * p;
  p = 1.0 / 9 + s * p;
  p = 1.0 / 7 + s * p;
  p = 1.0 / 5 + s * p;
  p = 1.0 / 3 + s * p;
  return (2.0 * f) * (1.0 + s * p);
}

// log(x) = e log 2 + 2 atanh(f), x = 2^e m, sqrt(1/2) <= m < sqrt(2),
// f = (m - 1)/(m + 1), |f| <= 0.172. For positive normal numbers only.
template <class V>
inline V simd_log(V x) {
  using Bits = typename PackTraits<V>::Bits;
  const Bits bits = (Bits)x;
  V m = (V)((bits & 0x000fffffffffffffULL) | 0x3ff0000000000000ULL);
  V e = (V)((bits >> 52) | 0x4330000000000000ULL) - (4503599627370496.0 + 1023.0);
  const auto upper = m > 1.4142135623730951;
  m = upper ? m * 0.5 : m;
  e = upper ? e + 1.0 : e;
  const V f = (m - 1.0) / (m + 1.0);
  return e * 1.90821492927058770002e-10 + (twice_atanh(f) + e * 6.93147180369123816490e-01);
}

// Functions of doubles on GPUs. CUDA's own functions branch for numbers that do not occur here, and the operations of
// two formulas do not overlap across a branch.
#ifdef __CUDA_ARCH__
namespace device {

// 1 / sqrt(x) for x above 1e-300, from an approximation y with 20 bits. With e = 1 - x y^2 the result is
// y (1 - e)^-1/2, and the first three terms of that series leave an error of e^3.
__device__ inline double inverse_root(double x) {
  double y;
  asm("rsqrt.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(x));
  const double error = 1.0 - (x * y) * y;
  return y + (y * error) * (0.5 + 0.375 * error);
}

// The square root, but 1e-150 at zero.
__device__ inline double sqrt(double x) {
  const double positive = x + 1e-300;
  return positive * inverse_root(positive);
}

// The exponential function of x below 709. Among negative numbers, the one with the larger bits is the smaller number.
// Below -708 the upper half is therefore replaced by that of -708.
__device__ inline double exp(double x) {
  const unsigned upper = smaller(unsigned(__double2hiint(x)), 0xc0862000u);
  return exp_series(__hiloint2double(int(upper), __double2loint(x)));
}

}  // namespace device
#endif

// Functions that the formulas call: the pack's function for packs, the library's for doubles and floats. On GPUs that
// is CUDA's, except for those above.
namespace math {
template <class V>
NEARGP_HD inline V exp(V x) {
  return simd_exp(x);
}
template <class V>
NEARGP_HD inline V log(V x) {
  return simd_log(x);
}
template <class V>
NEARGP_HD inline V sqrt(V x) {
  return simd_sqrt(x);
}
template <>
NEARGP_HD inline double exp<double>(double x) {
#ifdef __CUDA_ARCH__
  return device::exp(x);
#else
  return std::exp(x);
#endif
}
template <>
NEARGP_HD inline double log<double>(double x) {
  return std::log(x);
}
template <>
NEARGP_HD inline double sqrt<double>(double x) {
#ifdef __CUDA_ARCH__
  return device::sqrt(x);
#else
  return std::sqrt(x);
#endif
}
template <>
NEARGP_HD inline float exp<float>(float x) {
  return std::exp(x);
}
template <>
NEARGP_HD inline float log<float>(float x) {
  return std::log(x);
}
template <>
NEARGP_HD inline float sqrt<float>(float x) {
  return std::sqrt(x);
}
}  // namespace math

}  // namespace neargp
