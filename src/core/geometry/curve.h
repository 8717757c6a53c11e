// Orders of points along curves that fill a square or a cube: rows that are close on the curve are close in space.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "base/unset_vector.h"
#include "geometry/points.h"
#include "parallel/radix_sort.h"

namespace neargp {

struct KeyedRow {
  std::uint64_t key;
  int row;
};

// Cubic cells over the bounding box of points of two or three dimensions, 2^bits on each side.
template <int Dim>
class CurveGrid {
 public:
  static_assert(Dim == 2 || Dim == 3, "keys of 64 bits have room for cells of two or three dimensions");
  static constexpr int bits = Dim == 2 ? 31 : 21;
  static constexpr double cells = double(std::uint64_t{1} << bits);

  using Cell = std::uint64_t[Dim];

  CurveGrid(Points points, const RunContext& context) {
    const Index chunks = (points.n + light_range - 1) / light_range;
    std::vector<double> lows(chunks * Dim), highs(chunks * Dim);
    parallel_ranges(context, points.n, light_range, [&](Index first, Index last, Index chunk) {
      double *low = lows.data() + chunk * Dim, *high = highs.data() + chunk * Dim;
      std::copy_n(points[first], Dim, low);
      std::copy_n(points[first], Dim, high);
      for (Index i = first + 1; i < last; ++i)
        for (int c = 0; c < Dim; ++c) {
          low[c] = std::min(low[c], points[i][c]);
          high[c] = std::max(high[c], points[i][c]);
        }
    });
    double extent = 0.0;
    for (int c = 0; c < Dim; ++c) {
      low_[c] = lows[c];
      double high = highs[c];
      for (Index chunk = 1; chunk < chunks; ++chunk) {
        low_[c] = std::min(low_[c], lows[chunk * Dim + c]);
        high = std::max(high, highs[chunk * Dim + c]);
      }
      extent = std::max(extent, high - low_[c]);
    }
    side_ = extent * (1.0 + 1e-9);  // the last point lies in the last cell, also when quotients are rounded
  }

  double side() const { return side_; }

  // Squares of distances neither overflow nor lose bits.
  bool is_regular() const { return side_ > 1e-140 && side_ < 1e140; }

  void locate(const double* x, Cell& cell) const {
    for (int c = 0; c < Dim; ++c) cell[c] = std::uint64_t((x[c] - low_[c]) * (cells / side_));
  }

 private:
  double low_[Dim];
  double side_;
};

namespace detail {

// Moves bit i to bit Dim * i.
template <int Dim>
std::uint64_t spread_bits(std::uint64_t x) {
  if (Dim == 2) {
    x = (x | x << 16) & 0x0000ffff0000ffffu;
    x = (x | x << 8) & 0x00ff00ff00ff00ffu;
    x = (x | x << 4) & 0x0f0f0f0f0f0f0f0fu;
    x = (x | x << 2) & 0x3333333333333333u;
    return (x | x << 1) & 0x5555555555555555u;
  }
  x = (x | x << 32) & 0x001f00000000ffffu;
  x = (x | x << 16) & 0x001f0000ff0000ffu;
  x = (x | x << 8) & 0x100f00f00f00f00fu;
  x = (x | x << 4) & 0x10c30c30c30c30c3u;
  return (x | x << 2) & 0x1249249249249249u;
}

// Moves bit Dim * i to bit i, and drops all others.
template <int Dim>
std::uint64_t gather_bits(std::uint64_t x) {
  if (Dim == 2) {
    x &= 0x5555555555555555u;
    x = (x | x >> 1) & 0x3333333333333333u;
    x = (x | x >> 2) & 0x0f0f0f0f0f0f0f0fu;
    x = (x | x >> 4) & 0x00ff00ff00ff00ffu;
    x = (x | x >> 8) & 0x0000ffff0000ffffu;
    return (x | x >> 16) & 0x00000000ffffffffu;
  }
  x &= 0x1249249249249249u;
  x = (x | x >> 2) & 0x10c30c30c30c30c3u;
  x = (x | x >> 4) & 0x100f00f00f00f00fu;
  x = (x | x >> 8) & 0x001f0000ff0000ffu;
  x = (x | x >> 16) & 0x001f00000000ffffu;
  return (x | x >> 32) & 0x00000000001fffffu;
}

}  // namespace detail

// Morton's curve. A key without its lowest Dim * j bits is the key of the larger cell of 2^j cells a side.
template <int Dim>
std::uint64_t morton_part(std::uint64_t place, int coordinate) {
  return detail::spread_bits<Dim>(place) << coordinate;
}

template <int Dim>
std::uint64_t morton_key(const std::uint64_t (&cell)[Dim]) {
  std::uint64_t key = 0;
  for (int c = 0; c < Dim; ++c) key |= morton_part<Dim>(cell[c], c);
  return key;
}

template <int Dim>
void morton_cell(std::uint64_t key, std::uint64_t (&cell)[Dim]) {
  for (int c = 0; c < Dim; ++c) cell[c] = detail::gather_bits<Dim>(key >> c);
}

// Hilbert's curve, whose successive cells are always adjacent, by J. Skilling, "Programming the Hilbert curve", AIP
// Conference Proceedings 707 (2004). Masks take the place of his branches, which no processor predicts.
template <int Dim>
std::uint64_t hilbert_key(const std::uint64_t (&cell)[Dim]) {
  constexpr std::uint64_t top = std::uint64_t{1} << (CurveGrid<Dim>::bits - 1);
  std::uint64_t x[Dim];
  std::copy_n(cell, Dim, x);
  for (std::uint64_t bit = top; bit > 1; bit >>= 1) {
    const std::uint64_t lower = bit - 1;
    for (int c = 0; c < Dim; ++c) {
      const std::uint64_t is_set = std::uint64_t{0} - std::uint64_t((x[c] & bit) != 0);
      const std::uint64_t exchanged = (x[0] ^ x[c]) & lower & ~is_set;
      x[0] ^= (lower & is_set) | exchanged;
      x[c] ^= exchanged;
    }
  }
  for (int c = 1; c < Dim; ++c) x[c] ^= x[c - 1];  // Gray code
  std::uint64_t inverted = 0;
  for (std::uint64_t bit = top; bit > 1; bit >>= 1)
    inverted ^= (bit - 1) & (std::uint64_t{0} - std::uint64_t((x[Dim - 1] & bit) != 0));
  std::uint64_t reversed[Dim];  // the first coordinate has the highest bit of each group
  for (int c = 0; c < Dim; ++c) reversed[Dim - 1 - c] = x[c] ^ inverted;
  return morton_key<Dim>(reversed);
}

// All rows by the keys key(cell) of their cells. Rows of one cell ascend.
template <int Dim, class Key>
UnsetVector<KeyedRow> rows_along(Points points, const CurveGrid<Dim>& grid, const Key& key, const RunContext& context) {
  UnsetVector<KeyedRow> rows(points.n);
  parallel_ranges(context, points.n, light_range, [&](Index first, Index last, Index) {
    for (Index i = first; i < last; ++i) {
      typename CurveGrid<Dim>::Cell cell;
      grid.locate(points[i], cell);
      rows[i] = {key(cell), int(i)};
    }
  });
  radix_sort(
      rows, Dim * CurveGrid<Dim>::bits, [](const KeyedRow& keyed) { return keyed.key; }, context);
  return rows;
}

// All rows along Hilbert's curve, or none if distances between the points overflow or vanish.
template <int Dim>
UnsetVector<int> rows_along_hilbert(Points points, const RunContext& context) {
  const CurveGrid<Dim> grid(points, context);
  if (!grid.is_regular()) return {};
  const UnsetVector<KeyedRow> keyed = rows_along<Dim>(
      points, grid, [](const auto& cell) { return hilbert_key<Dim>(cell); }, context);
  UnsetVector<int> rows(keyed.size());
  parallel_ranges(context, points.n, light_range, [&](Index first, Index last, Index) {
    for (Index i = first; i < last; ++i) rows[i] = keyed[i].row;
  });
  return rows;
}

// The same for points of any number of coordinates: none unless they are two or three.
inline UnsetVector<int> rows_along_hilbert(Points points, const RunContext& context) {
  if (points.dim == 2) return rows_along_hilbert<2>(points, context);
  if (points.dim == 3) return rows_along_hilbert<3>(points, context);
  return {};
}

}  // namespace neargp
