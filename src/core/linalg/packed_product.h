// C += alpha A B in packs of eight doubles, for processors with AVX-512. Only sources compiled for these include this
// file.
//
// A and B are copied, a part at a time, into panels. A panel is in the order in which the innermost loop reads it (Goto
// and van de Geijn 2008, Anatomy of high-performance matrix multiplication). A panel of A consists of up to 24 rows, a
// panel of B of 8 columns. Their product is 24 sums in registers, and each number read from a cache enters 8 or 24
// products.
//
// An entry of C is the sum over blocks of `depth` summands, each block added up in order by fused multiply-adds. The
// order does not depend on addresses.
#pragma once

#include <immintrin.h>

#include "base/types.h"

namespace neargp {
namespace {

constexpr Index pack_lanes = 8, most_packs = 3, panel_rows = most_packs * pack_lanes, panel_columns = 8;
constexpr Index slab_rows = 4 * panel_rows, slab_columns = 64 * panel_columns;  // copied at a time

// Entry (i, k) of an operand is data[i * step + k * depth_step], and one of the steps is 1. `i` counts the rows of A or
// the columns of B, `k` the summands.
struct Strip {
  const double* data;
  Index step, depth_step;

  Strip from(Index i, Index k) const { return {data + i * step + k * depth_step, step, depth_step}; }
};

// Not std::min(): the linker could keep this unit's copy, compiled for AVX-512, for all processors.
Index least(Index a, Index b) { return a < b ? a : b; }
Index doubles_for_packing(Index depth) { return (slab_rows + slab_columns) * depth; }

// Lanes first .. last-1 of a pack, as far as it contains them.
__mmask8 lanes_between(Index first, Index last) {
  const auto below = [](Index lane) { return lane <= 0 ? 0u : lane >= pack_lanes ? 0xffu : (1u << lane) - 1u; };
  return __mmask8(below(last) & ~below(first));
}

// to[k * width + i] = from[i * step + k], i and k below 8.
void transpose_eight(const double* from, Index step, double* to, Index width) {
  constexpr __mmask8 all = 0xff;
  __m512d row[8], pair[8], four[8];
#pragma GCC unroll 8
  for (int i = 0; i < 8; ++i) row[i] = _mm512_loadu_pd(from + i * step);
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i) {
    pair[i] = _mm512_maskz_unpacklo_pd(all, row[2 * i], row[2 * i + 1]);
    pair[i + 4] = _mm512_maskz_unpackhi_pd(all, row[2 * i], row[2 * i + 1]);
  }
#pragma GCC unroll 2
  for (int odd = 0; odd < 2; ++odd)
#pragma GCC unroll 2
    for (int half = 0; half < 2; ++half) {
      const __m512d low = pair[4 * odd + 2 * half], high = pair[4 * odd + 2 * half + 1];
      four[4 * odd + half] = _mm512_maskz_shuffle_f64x2(all, low, high, 0x88);
      four[4 * odd + half + 2] = _mm512_maskz_shuffle_f64x2(all, low, high, 0xdd);
    }
#pragma GCC unroll 8
  for (int k = 0; k < 8; ++k) {
    const int first = 4 * (k & 1) + (k & 2);
    const __m512d column = k < 4 ? _mm512_maskz_shuffle_f64x2(all, four[first], four[first + 1], 0x88)
                                 : _mm512_maskz_shuffle_f64x2(all, four[first], four[first + 1], 0xdd);
    _mm512_storeu_pd(to + k * width, column);
  }
}

// A panel of `width` rows, of which those from `count` on are zero.
void pack_panel(Strip x, Index count, Index depth, Index width, double* to) {
  for (Index first = 0; first < width; first += pack_lanes) {
    const double* from = x.data + first * x.step;
    if (x.step == 1) {
      const __mmask8 lanes = lanes_between(0, count - first);
      for (Index k = 0; k < depth; ++k)
        _mm512_storeu_pd(to + k * width + first, _mm512_maskz_loadu_pd(lanes, from + k * x.depth_step));
      continue;
    }
    Index k = 0;
    for (; count >= first + pack_lanes && k + 8 <= depth; k += 8)
      transpose_eight(from + k, x.step, to + k * width + first, width);
    for (; k < depth; ++k)
      for (Index i = 0; i < pack_lanes; ++i)
        to[k * width + first + i] = first + i < count ? from[i * x.step + k * x.depth_step] : 0.0;
  }
}

// The rows of a panel that begins at row `first` of `rows`, zeros included.
Index width_of_panel(Index first, Index rows) {
  return least(panel_rows, (rows - first + pack_lanes - 1) / pack_lanes * pack_lanes);
}

// tile = A B for panels, column-major. A function of its own, since otherwise the compiler keeps sums in memory.
template <int Packs>
__attribute__((noinline)) void multiply_panels(Index depth, const double* a, const double* b, double* tile) {
  __m512d sum[panel_columns][Packs];
  for (int j = 0; j < panel_columns; ++j)
    for (int p = 0; p < Packs; ++p) sum[j][p] = _mm512_setzero_pd();
  for (Index k = 0; k < depth; ++k, a += Packs * pack_lanes, b += panel_columns) {
    __m512d own[Packs];
#pragma GCC unroll 3
    for (int p = 0; p < Packs; ++p) own[p] = _mm512_loadu_pd(a + p * pack_lanes);
#pragma GCC unroll 8
    for (int j = 0; j < panel_columns; ++j) {
      const __m512d other = _mm512_set1_pd(b[j]);
#pragma GCC unroll 3
      for (int p = 0; p < Packs; ++p) sum[j][p] = _mm512_fmadd_pd(own[p], other, sum[j][p]);
    }
  }
#pragma GCC unroll 8
  for (int j = 0; j < panel_columns; ++j)
#pragma GCC unroll 3
    for (int p = 0; p < Packs; ++p) _mm512_storeu_pd(tile + (j * Packs + p) * pack_lanes, sum[j][p]);
}

void multiply_panels(Index width, Index depth, const double* a, const double* b, double* tile) {
  if (width == panel_rows) return multiply_panels<3>(depth, a, b, tile);
  if (width > pack_lanes) return multiply_panels<2>(depth, a, b, tile);
  multiply_panels<1>(depth, a, b, tile);
}

// A part of C. `above`: row i of column j is left as it is where i < j + above.
struct TargetPart {
  double* data;
  Index rows, columns, stride, above;
};

// c += scale x in some lanes.
void add_lanes(__m512d scale, const double* x, __mmask8 lanes, double* c) {
  _mm512_mask_storeu_pd(c, lanes, _mm512_fmadd_pd(scale, _mm512_loadu_pd(x), _mm512_maskz_loadu_pd(lanes, c)));
}

void add_tile(double alpha, const double* tile, Index width, TargetPart c) {
  const __m512d scale = _mm512_set1_pd(alpha);
  const bool whole = c.rows == width && c.above + c.columns <= 1;
  for (Index j = 0; j < c.columns; ++j)
    for (Index i = 0; i < width; i += pack_lanes)
      add_lanes(scale, tile + i + j * width, whole ? __mmask8(0xff) : lanes_between(j + c.above - i, c.rows - i),
                c.data + i + j * c.stride);
}

// The product of packed panels of A and B.
void add_panels(double alpha, Index depth, const double* a, const double* b, TargetPart c) {
  alignas(64) double tile[panel_rows * panel_columns];
  for (Index j = 0; j < c.columns; j += panel_columns)
    for (Index i = 0; i < c.rows; i += panel_rows) {
      const Index width = width_of_panel(i, c.rows);
      const TargetPart part{c.data + i + j * c.stride, least(width, c.rows - i), least(panel_columns, c.columns - j),
                            c.stride, c.above + j - i};
      if (part.rows <= part.above) continue;
      multiply_panels(width, depth, a + i * depth, b + j * depth, tile);
      add_tile(alpha, tile, width, part);
    }
}

// `depth`: the number of summands. They are added up in blocks of `block`. `memory`: of doubles_for_packing(block).
void add_packed_product(double alpha, Strip a, Strip b, Index depth, Index block, TargetPart c, double* memory) {
  double* const panels_of_b = memory + slab_rows * block;
  for (Index j = 0; j < c.columns; j += slab_columns) {
    const Index columns = least(slab_columns, c.columns - j);
    for (Index k = 0; k < depth; k += block) {
      const Index summands = least(block, depth - k);
      for (Index q = 0; q < columns; q += panel_columns)
        pack_panel(b.from(j + q, k), columns - q, summands, panel_columns, panels_of_b + q * summands);
      for (Index i = 0; i < c.rows; i += slab_rows) {
        const Index rows = least(slab_rows, c.rows - i);
        if (i + rows <= j + c.above) continue;
        for (Index p = 0; p < rows; p += panel_rows)
          pack_panel(a.from(i + p, k), rows - p, summands, width_of_panel(p, rows), memory + p * summands);
        add_panels(alpha, summands, memory, panels_of_b,
                   {c.data + i + j * c.stride, rows, columns, c.stride, c.above + j - i});
      }
    }
  }
}

}  // namespace
}  // namespace neargp
