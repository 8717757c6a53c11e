#pragma once

#include "geometry/kd_tree.h"
#include "simd/instruction_set.h"
#include "simd/wide_sets.h"

#ifdef NEARGP_WIDE_SETS
#include <immintrin.h>
#endif

namespace neargp {

// Comparisons of sixteen points or boxes at a time (KdTree::leaf_size) for the widest registers of the processor. Bit s
// of a result stands for point or box s. Instruction sets round sums differently, so that a limit needs the slack of
// with_rounding(). The distances that count are computed again, by one formula for all sets.
struct LeafKernels {
  // The points of a leaf whose squared distance from x is at most `bound2`. Points at NaN never are.
  unsigned (*points_within)(const double* leaf_coords, const double* x, int dim, double bound2);
  // The same for boxes, as box_distances() takes them, and their distance from the box from `low` to `high`.
  unsigned (*boxes_within)(const double* boxes, const double* low, const double* high, int dim, double bound2);
};

// Squares are positive, so that the relative error of a sum of `dim` of them is at most dim + 1 units of rounding.
inline double with_rounding(double bound2, int dim) { return bound2 * (1.0 + 4e-16 * (dim + 2)); }

static_assert(KdTree::leaf_size == 16, "Two registers of eight doubles hold a leaf.");

inline unsigned bits_within(const double* distance2, double bound2) {
  unsigned bits = 0;
  for (int s = 0; s < KdTree::leaf_size; ++s) bits |= unsigned(distance2[s] <= bound2) << s;
  return bits;
}

inline unsigned points_within_portable(const double* leaf_coords, const double* x, int dim, double bound2) {
  double distance2[KdTree::leaf_size];
  leaf_distances(leaf_coords, x, dim, distance2);
  return bits_within(distance2, bound2);
}

inline unsigned boxes_within_portable(const double* boxes, const double* low, const double* high, int dim,
                                      double bound2) {
  double distance2[KdTree::leaf_size];
  box_distances(boxes, low, high, dim, distance2);
  return bits_within(distance2, bound2);
}

#ifdef NEARGP_WIDE_SETS

// In a maximum of two numbers x86 returns the second one where either is not a number. NaN therefore stays NaN here.

__attribute__((target("avx512f"))) inline unsigned points_within_avx512(const double* leaf_coords, const double* x,
                                                                        int dim, double bound2) {
  __m512d first = _mm512_setzero_pd(), second = first;
  for (int c = 0; c < dim; ++c) {
    const __m512d at = _mm512_set1_pd(x[c]);
    const __m512d a = _mm512_sub_pd(_mm512_loadu_pd(leaf_coords + 16 * c), at);
    const __m512d b = _mm512_sub_pd(_mm512_loadu_pd(leaf_coords + 16 * c + 8), at);
    first = _mm512_fmadd_pd(a, a, first);
    second = _mm512_fmadd_pd(b, b, second);
  }
  const __m512d bound = _mm512_set1_pd(bound2);
  return unsigned(_mm512_cmp_pd_mask(first, bound, _CMP_LE_OQ)) |
         unsigned(_mm512_cmp_pd_mask(second, bound, _CMP_LE_OQ)) << 8;
}

__attribute__((target("avx512f"))) inline unsigned boxes_within_avx512(const double* boxes, const double* low,
                                                                       const double* high, int dim, double bound2) {
  const __m512d zero = _mm512_setzero_pd();
  __m512d sum[2] = {zero, zero};
  for (int c = 0; c < dim; ++c) {
    const __m512d at_low = _mm512_set1_pd(low[c]), at_high = _mm512_set1_pd(high[c]);
    for (int half = 0; half < 2; ++half) {
      const double* lows = boxes + 32 * c + 8 * half;
      const __m512d below = _mm512_sub_pd(_mm512_loadu_pd(lows), at_high);
      const __m512d above = _mm512_sub_pd(at_low, _mm512_loadu_pd(lows + 16));
      const __m512d gap = _mm512_maskz_max_pd(0xff, zero, _mm512_maskz_max_pd(0xff, below, above));
      sum[half] = _mm512_fmadd_pd(gap, gap, sum[half]);
    }
  }
  const __m512d bound = _mm512_set1_pd(bound2);
  return unsigned(_mm512_cmp_pd_mask(sum[0], bound, _CMP_LE_OQ)) |
         unsigned(_mm512_cmp_pd_mask(sum[1], bound, _CMP_LE_OQ)) << 8;
}

__attribute__((target("avx2,fma"))) inline unsigned points_within_avx2(const double* leaf_coords, const double* x,
                                                                       int dim, double bound2) {
  __m256d sum[4] = {_mm256_setzero_pd(), _mm256_setzero_pd(), _mm256_setzero_pd(), _mm256_setzero_pd()};
  for (int c = 0; c < dim; ++c) {
    const __m256d at = _mm256_set1_pd(x[c]);
    for (int quarter = 0; quarter < 4; ++quarter) {
      const __m256d side = _mm256_sub_pd(_mm256_loadu_pd(leaf_coords + 16 * c + 4 * quarter), at);
      sum[quarter] = _mm256_fmadd_pd(side, side, sum[quarter]);
    }
  }
  unsigned bits = 0;
  for (int quarter = 0; quarter < 4; ++quarter)
    bits |= unsigned(_mm256_movemask_pd(_mm256_cmp_pd(sum[quarter], _mm256_set1_pd(bound2), _CMP_LE_OQ)))
            << (4 * quarter);
  return bits;
}

__attribute__((target("avx2,fma"))) inline unsigned boxes_within_avx2(const double* boxes, const double* low,
                                                                      const double* high, int dim, double bound2) {
  const __m256d zero = _mm256_setzero_pd();
  __m256d sum[4] = {zero, zero, zero, zero};
  for (int c = 0; c < dim; ++c) {
    const __m256d at_low = _mm256_set1_pd(low[c]), at_high = _mm256_set1_pd(high[c]);
    for (int quarter = 0; quarter < 4; ++quarter) {
      const double* lows = boxes + 32 * c + 4 * quarter;
      const __m256d below = _mm256_sub_pd(_mm256_loadu_pd(lows), at_high);
      const __m256d above = _mm256_sub_pd(at_low, _mm256_loadu_pd(lows + 16));
      const __m256d gap = _mm256_max_pd(zero, _mm256_max_pd(below, above));
      sum[quarter] = _mm256_fmadd_pd(gap, gap, sum[quarter]);
    }
  }
  unsigned bits = 0;
  for (int quarter = 0; quarter < 4; ++quarter)
    bits |= unsigned(_mm256_movemask_pd(_mm256_cmp_pd(sum[quarter], _mm256_set1_pd(bound2), _CMP_LE_OQ)))
            << (4 * quarter);
  return bits;
}

#endif

inline const LeafKernels& leaf_kernels() {
  static const LeafKernels portable = {points_within_portable, boxes_within_portable};
#ifdef NEARGP_WIDE_SETS
  static const LeafKernels avx2 = {points_within_avx2, boxes_within_avx2};
  static const LeafKernels avx512 = {points_within_avx512, boxes_within_avx512};
  switch (instruction_set()) {
    case InstructionSet::avx512: return avx512;
    case InstructionSet::avx2: return avx2;
    default: break;
  }
#endif
  return portable;
}

}  // namespace neargp
