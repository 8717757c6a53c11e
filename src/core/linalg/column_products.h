// Products of a few columns that lie scattered over a large matrix, in packs. The columns are read where they are. A
// general product would copy them first, and is made for larger matrices.
//
// The length `rows` of columns is a multiple of column_multiple; they are filled up with zeros.
#pragma once

#include "base/types.h"
#include "simd/simd.h"

namespace neargp {

inline constexpr Index column_multiple = 8;

namespace detail {

template <int Lanes>
inline typename Pack<Lanes>::Real load_pack(const double* from) {
  typename Pack<Lanes>::Real pack;
  std::memcpy(static_cast<void*>(&pack), from, sizeof pack);
  return pack;
}

// Inner products of `Count` columns with `Others` more, as many as leave registers to load into.
template <int Count, int Others, int Lanes>
inline void product_block(const double* const* columns, const double* const* others, Index rows,
                          double (&out)[Count][Others]) {
  using Real = typename Pack<Lanes>::Real;
  Real sums[Count][Others] = {};
  for (Index r = 0; r < rows; r += Lanes) {
    Real other[Others];
    neargp::unrolled<Others>([&](auto o)
                                 __attribute__((always_inline)) { other[o] = load_pack<Lanes>(others[o] + r); });
    neargp::unrolled<Count>([&](auto c) __attribute__((always_inline)) {
      const Real own = load_pack<Lanes>(columns[c] + r);
      neargp::unrolled<Others>([&](auto o) __attribute__((always_inline)) { sums[c][o] += own * other[o]; });
    });
  }
  for (int c = 0; c < Count; ++c)
    for (int o = 0; o < Others; ++o) out[c][o] = sum_lanes(sums[c][o]);
}

}  // namespace detail

// gram[i + j * count] = columns[i]'columns[j] for j <= i.
template <int Lanes>
void gram_of_columns(const double* const* columns, int count, Index rows, double* gram) {
  constexpr int height = 4, width = 3;
  const double *own[height], *others[width];
  double block[height][width];
  for (int i = 0; i < count; i += height) {
    for (int c = 0; c < height; ++c) own[c] = columns[i + c < count ? i + c : count - 1];
    for (int j = 0; j < count && j < i + height; j += width) {
      for (int o = 0; o < width; ++o) others[o] = columns[j + o < count ? j + o : count - 1];
      detail::product_block<height, width, Lanes>(own, others, rows, block);
      for (int c = 0; c < height && i + c < count; ++c)
        for (int o = 0; o < width && j + o <= i + c; ++o) gram[i + c + Index(j + o) * count] = block[c][o];
    }
  }
}

// products[i] = columns[i]'x
template <int Lanes>
void products_with_column(const double* const* columns, int count, Index rows, const double* x, double* products) {
  constexpr int height = 4;
  const double* own[height];
  double block[height][1];
  for (int i = 0; i < count; i += height) {
    for (int c = 0; c < height; ++c) own[c] = columns[i + c < count ? i + c : count - 1];
    detail::product_block<height, 1, Lanes>(own, &x, rows, block);
    for (int c = 0; c < height && i + c < count; ++c) products[i + c] = block[c][0];
  }
}

// y += sum of weights[i] columns[i]
template <int Lanes>
void add_combination(const double* const* columns, Index count, Index rows, const double* weights, double* y) {
  using Real = typename Pack<Lanes>::Real;
  constexpr int width = 4;
  for (Index i = 0; i < count; i += width) {
    const double* own[width];
    double weight[width];
    for (int c = 0; c < width; ++c) {
      own[c] = columns[i + c < count ? i + c : count - 1];
      weight[c] = i + c < count ? weights[i + c] : 0.0;
    }
    for (Index r = 0; r < rows; r += Lanes) {
      Real sum = detail::load_pack<Lanes>(y + r);
      neargp::unrolled<width>([&](auto c) __attribute__((always_inline)) {
        sum += weight[c] * detail::load_pack<Lanes>(own[c] + r);
      });
      std::memcpy(y + r, &sum, sizeof sum);
    }
  }
}

// y += w w'x for a sparse row w; x and y have `Width` columns, row-major. `Set` is the number of lanes of the
// instruction set. Packs may be narrower, and `Set` then keeps the functions of different sets distinct.
template <int Width, int Lanes, int Set = Lanes>
void add_gram_product(const int* column, const double* w, int count, const double* x, double* y) {
  using Real = typename Pack<Lanes>::Real;
  constexpr int packs = Width / Lanes;
  Real sum[packs] = {};
  for (int a = 0; a < count; ++a) {
    const double* own = x + Index(column[a]) * Width;
    for (int p = 0; p < packs; ++p) {
      Real pack;
      std::memcpy(static_cast<void*>(&pack), own + p * Lanes, sizeof pack);
      sum[p] += w[a] * pack;
    }
  }
  for (int a = 0; a < count; ++a) {
    double* own = y + Index(column[a]) * Width;
    for (int p = 0; p < packs; ++p) {
      Real pack;
      std::memcpy(static_cast<void*>(&pack), own + p * Lanes, sizeof pack);
      pack += w[a] * sum[p];
      std::memcpy(own + p * Lanes, &pack, sizeof pack);
    }
  }
}

// h += scale (A B' + B A') w at the entries of w, a sparse row. `pairs` contains rows of A and B side by side, of
// `Width` columns each. `Set` as above.
template <int Width, int Lanes, int Set = Lanes>
void add_paired_product(const int* column, const double* w, int count, const double* pairs, double scale, double* h) {
  using Real = typename Pack<Lanes>::Real;
  constexpr int packs = 2 * Width / Lanes;
  Real products[packs] = {};
  for (int i = 0; i < count; ++i) {
    const double* own = pairs + Index(column[i]) * (2 * Width);
    for (int p = 0; p < packs; ++p) {
      Real pack;
      std::memcpy(static_cast<void*>(&pack), own + p * Lanes, sizeof pack);
      products[p] += w[i] * pack;
    }
  }
  for (int i = 0; i < count; ++i) {
    const double* own = pairs + Index(column[i]) * (2 * Width);
    Real sums = {};
    for (int p = 0; p < packs; ++p) {
      Real pack;
      std::memcpy(static_cast<void*>(&pack), own + p * Lanes, sizeof pack);
      sums += pack * products[(p + packs / 2) % packs];
    }
    double lanes[Lanes], sum = 0.0;
    std::memcpy(lanes, &sums, sizeof lanes);
    for (int lane = 0; lane < Lanes; ++lane) sum += lanes[lane];
    h[i] += scale * sum;
  }
}

struct ColumnKernels {
  using RowProduct = void (*)(const int* column, const double* w, int count, const double* x, double* y);
  using PairedProduct = void (*)(const int* column, const double* w, int count, const double* pairs, double scale,
                                 double* h);

  void (*gram)(const double* const* columns, int count, Index rows, double* gram);
  void (*products)(const double* const* columns, int count, Index rows, const double* x, double* products);
  void (*add_combination)(const double* const* columns, Index count, Index rows, const double* weights, double* y);
  RowProduct row_product_of_four, row_product_of_sixteen;
  PairedProduct paired_product_of_four, paired_product_of_sixteen;
};

// The table of the instruction set in use (simd/instruction_set.h).
const ColumnKernels& column_kernels();

}  // namespace neargp
