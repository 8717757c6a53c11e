// The pairs i > j of a team's rows, shared out evenly, where a strict lower triangle keeps them, and its product.
#pragma once

#include "base/hd.h"

namespace neargp {

// By columns, without the diagonal.
NEARGP_HD inline int pair_index(int i, int j, int rows) { return j * (2 * rows - j - 1) / 2 + (i - j - 1); }

NEARGP_HD inline int pair_count(int rows) { return rows * (rows - 1) / 2; }

// action(i, j) for all pairs. A long column and a short one together are as long as any other such two, which makes the
// triangle a rectangle: with an odd number of rows columns r and rows-2-r, with an even one r and rows-1-r. So each
// thread finds its pairs by one division, and none waits for others.
template <class Team, class Action>
NEARGP_HD inline void for_each_pair(const Team& team, int rows, const Action& action) {
  const bool odd = rows % 2 == 1;
  const int length = odd ? rows : rows - 1;
  const int count = pair_count(rows);
  for (int e = team.rank(); e < count; e += team.size()) {
    const int r = e / length;
    const int place = e - r * length;
    if (place < rows - 1 - r)
      action(r + 1 + place, r);
    else
      action(odd ? place : place + 1, odd ? rows - 2 - r : rows - 1 - r);
  }
}

// g = E x, element by element, E symmetric with zero diagonal; entry(i, j), i > j.
template <class Team, class Entry>
NEARGP_HD inline void multiply_symmetric(const Team& team, int rows, const Entry& entry, const double* x, double* g) {
  for (int i = team.rank(); i < rows; i += team.size()) {
    double sum = 0.0;
    for (int j = 0; j < i; ++j) sum += entry(i, j) * x[j];
    for (int j = i + 1; j < rows; ++j) sum += entry(j, i) * x[j];
    g[i] = sum;
  }
}

}  // namespace neargp
