// Squared distances of the rows of a tile.
#pragma once

#include <cstddef>

namespace neargp {

// r2[j] (+)= squared differences of `Count` coordinates of rows i and j < i; coordinate d
// of row j is at coords[d * rows + j].
template <int Count, bool add, class V>
inline void squared_differences(const V* coords, int rows, int i, V* r2) {
  const V* x[Count];
  V xi[Count];
  for (int d = 0; d < Count; ++d) {
    x[d] = coords + std::size_t(d) * rows;
    xi[d] = x[d][i];
  }
  for (int j = 0; j < i; ++j) {
    V sum = (xi[0] - x[0][j]) * (xi[0] - x[0][j]);
    if constexpr (Count > 1) sum += (xi[1] - x[1][j]) * (xi[1] - x[1][j]);
    if constexpr (Count > 2) sum += (xi[2] - x[2][j]) * (xi[2] - x[2][j]);
    if constexpr (Count > 3) sum += (xi[3] - x[3][j]) * (xi[3] - x[3][j]);
    r2[j] = add ? r2[j] + sum : sum;
  }
}

template <bool add, class V>
inline void squared_differences_of(int count, const V* coords, int rows, int i, V* r2) {
  switch (count) {
    case 1: return squared_differences<1, add>(coords, rows, i, r2);
    case 2: return squared_differences<2, add>(coords, rows, i, r2);
    case 3: return squared_differences<3, add>(coords, rows, i, r2);
    default: return squared_differences<4, add>(coords, rows, i, r2);
  }
}

// Adds the squared differences of the coordinates first .. last - 1, four to a pass.
template <class V>
inline void add_squared_distances(const V* coords, int rows, int first, int last, int i, V* r2) {
  for (int d = first; d < last; d += 4)
    squared_differences_of<true>(last - d, coords + std::size_t(d) * rows, rows, i, r2);
}

// r2[j] = |x_i - x_j|^2 for j < i, from coordinate differences: the expanded square
// would lose the short distances to cancellation.
template <class V>
inline void squared_distances(const V* coords, int rows, int dim, int i, V* r2) {
  squared_differences_of<false>(dim, coords, rows, i, r2);
  if (dim > 4) add_squared_distances(coords, rows, 4, dim, i, r2);
}

}  // namespace neargp
