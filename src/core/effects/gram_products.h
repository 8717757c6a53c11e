// The product w w'X of a sparse row w with a matrix X of a few columns, in packs.
#pragma once

#include "base/types.h"
#include "simd/simd.h"

namespace neargp {

// y += w w'x; x and y have `Width` columns, row-major.
template <int Width, int Lanes>
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

struct GramProducts {
  using Product = void (*)(const int* column, const double* w, int count, const double* x, double* y);
  Product four, sixteen;
};

// The table of the instruction set in use (simd/instruction_set.h).
const GramProducts& gram_products();

}  // namespace neargp
