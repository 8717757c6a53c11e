// The two inner loops of incomplete factors, over a row of a pattern's table of pairs, whose length is a multiple of
// four. They read up to three elements beyond the end of a column's entries, which are spare elements.
#pragma once

#include <cstddef>
#include <cstring>

#include "simd/simd.h"

namespace neargp {
namespace pairs {

// Computes `x[place[p]] -= scale * source[p]` for all p.
template <class Pair>
inline void subtract(double* x, const Pair* place, const double* source, std::size_t length, double scale) {
  for (std::size_t p = 0; p < length; p += 4) {
    const double product0 = scale * source[p], product1 = scale * source[p + 1];
    const double product2 = scale * source[p + 2], product3 = scale * source[p + 3];
    x[place[p]] -= product0;
    x[place[p + 1]] -= product1;
    x[place[p + 2]] -= product2;
    x[place[p + 3]] -= product3;
  }
}

// With `z[p] = x[place[p]]`, adds scale * z[p] to sum[p] and returns the sum of z[p] * factor[p].
template <class Pair>
inline double gather(const double* x, const Pair* place, const double* factor, double* sum, std::size_t length,
                     double scale) {
  using Two = neargp::Pack<2>::Real;
  const auto load = [](const double* from) {
    Two two;
    std::memcpy(&two, from, sizeof two);
    return two;
  };
  const auto add_to = [&](double* to, Two two) {
    two += load(to);
    std::memcpy(to, &two, sizeof two);
  };
  Two dot01{}, dot23{};
  for (std::size_t p = 0; p < length; p += 4) {
    const Two z01{x[place[p]], x[place[p + 1]]};
    const Two z23{x[place[p + 2]], x[place[p + 3]]};
    dot01 += z01 * load(factor + p);
    dot23 += z23 * load(factor + p + 2);
    add_to(sum + p, z01 * scale);
    add_to(sum + p + 2, z23 * scale);
  }
  dot01 += dot23;
  return dot01[0] + dot01[1];
}

// Processors prefetch memory that is read upwards, but not columns that are read downwards.
template <class T>
inline void prefetch(const T* first, const T* last) {
  for (const char* line = reinterpret_cast<const char*>(first); line < reinterpret_cast<const char*>(last); line += 64)
    __builtin_prefetch(line);
}

}  // namespace pairs
}  // namespace neargp
