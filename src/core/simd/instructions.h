// Packs of doubles, and functions of them that the compiler's vector types lack as operators: the square root, the
// larger and the smaller of two. Each is one instruction of the processor.
#pragma once

#include <cmath>
#include <cstdint>

#if defined(__x86_64__) || defined(_M_X64)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

#include "base/hd.h"

namespace neargp {

template <int Lanes>
struct Pack {
  typedef double Real __attribute__((vector_size(8 * Lanes)));
  typedef std::uint64_t Bits __attribute__((vector_size(8 * Lanes)));
};

// b where either is not a number.
template <class V>
NEARGP_HD inline V larger(V a, V b) {
  return a > b ? a : b;
}

template <class V>
NEARGP_HD inline V smaller(V a, V b) {
  return a < b ? a : b;
}

template <class V>
inline V simd_sqrt(V x) {
  V root = x;
  for (int lane = 0; lane < int(sizeof(V) / sizeof(double)); ++lane) root[lane] = std::sqrt(root[lane]);
  return root;
}

// GCC makes a comparison and a choice of `a > b ? a : b` for packs. On x86 one instruction returns the same, b included
// where either is not a number. The instruction of ARM returns the number there.
#if NEARGP_LANES == 8
template <>
inline Pack<8>::Real larger(Pack<8>::Real a, Pack<8>::Real b) {
  return (Pack<8>::Real)_mm512_maskz_max_pd(0xff, (__m512d)a, (__m512d)b);
}
template <>
inline Pack<8>::Real smaller(Pack<8>::Real a, Pack<8>::Real b) {
  return (Pack<8>::Real)_mm512_maskz_min_pd(0xff, (__m512d)a, (__m512d)b);
}
template <>
inline Pack<8>::Real simd_sqrt(Pack<8>::Real x) {
  return (Pack<8>::Real)_mm512_maskz_sqrt_pd(0xff, (__m512d)x);
}
#elif NEARGP_LANES == 4
template <>
inline Pack<4>::Real larger(Pack<4>::Real a, Pack<4>::Real b) {
  return (Pack<4>::Real)_mm256_max_pd((__m256d)a, (__m256d)b);
}
template <>
inline Pack<4>::Real smaller(Pack<4>::Real a, Pack<4>::Real b) {
  return (Pack<4>::Real)_mm256_min_pd((__m256d)a, (__m256d)b);
}
template <>
inline Pack<4>::Real simd_sqrt(Pack<4>::Real x) {
  return (Pack<4>::Real)_mm256_sqrt_pd((__m256d)x);
}
#elif NEARGP_LANES == 2 && defined(__SSE2__)
template <>
inline Pack<2>::Real larger(Pack<2>::Real a, Pack<2>::Real b) {
  return (Pack<2>::Real)_mm_max_pd((__m128d)a, (__m128d)b);
}
template <>
inline Pack<2>::Real smaller(Pack<2>::Real a, Pack<2>::Real b) {
  return (Pack<2>::Real)_mm_min_pd((__m128d)a, (__m128d)b);
}
template <>
inline Pack<2>::Real simd_sqrt(Pack<2>::Real x) {
  return (Pack<2>::Real)_mm_sqrt_pd((__m128d)x);
}
#elif NEARGP_LANES == 2 && defined(__aarch64__)
template <>
inline Pack<2>::Real simd_sqrt(Pack<2>::Real x) {
  return (Pack<2>::Real)vsqrtq_f64((float64x2_t)x);
}
#endif

}  // namespace neargp
