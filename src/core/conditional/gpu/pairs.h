// The pairs i > j of a team's rows, shared out evenly among its threads, and products with arrays that contain a number
// for each pair. A pair's index in these arrays is its `place`.
//
// Pairs go round the circle of rows. Round d = 1, 2, ... takes all (a, a + d), a = 0 .. rows-1, with sums modulo rows.
// The last round is half way round. For an even number of rows, it contains only one half of its pairs. Threads at
// consecutive indices therefore read consecutive rows. The pairs of every row are at the same distances, and a step to
// the next pair takes additions only.
#pragma once

#include "base/hd.h"
#include "simd/simd.h"

namespace neargp {

NEARGP_HD inline int pair_count(int rows) { return rows * (rows - 1) / 2; }

NEARGP_HD inline int pair_place(int i, int j, int rows) {
  const int distance = i - j;
  return 2 * distance <= rows ? (distance - 1) * rows + j : (rows - distance - 1) * rows + i;
}

struct RowPair {
  int i, j, place;
};

// The pairs of one thread.
class PairWalk {
 public:
  template <class Team>
  NEARGP_HD PairWalk(const Team& team, int rows)
      : place_(team.rank()), a_(team.rank() % rows), distance_(1 + team.rank() / rows), rows_(rows),
        threads_(team.size()), rounds_(team.size() / rows) {}

  NEARGP_HD bool has_pair() const { return place_ < pair_count(rows_); }

  // Takes the next `Count` pairs and returns their number, at least one. Missing pairs at the end repeat the first one.
  template <int Count>
  NEARGP_HD int take(RowPair (&pairs)[Count]) {
    pairs[0] = current();
    next();
    int taken = 1;
    for (int p = 1; p < Count; ++p) {
      pairs[p] = has_pair() ? current() : pairs[0];
      taken += has_pair();
      next();
    }
    return taken;
  }

  NEARGP_HD RowPair current() const {
    const int ahead = a_ + distance_;
    const int b = ahead < rows_ ? ahead : ahead - rows_;
    return {larger(a_, b), smaller(a_, b), place_};
  }

  NEARGP_HD void next() {
    place_ += threads_;
    a_ += threads_ - rounds_ * rows_;
    distance_ += rounds_;
    if (a_ >= rows_) {
      a_ -= rows_;
      ++distance_;
    }
  }

 private:
  int place_, a_, distance_;
  int rows_, threads_, rounds_;
};

// Calls `action(i, j, place)` for all pairs.
template <class Team, class Action>
NEARGP_HD inline void for_each_pair(const Team& team, int rows, const Action& action) {
  for (PairWalk walk(team, rows); walk.has_pair(); walk.next()) {
    const RowPair pair = walk.current();
    action(pair.i, pair.j, pair.place);
  }
}

// g = E x, element by element, where E is symmetric with zero diagonal and `entry(i, j, place)` returns E_ij for i > j.
template <class Team, class Entry, class Real>
NEARGP_HD inline void multiply_symmetric(const Team& team, int rows, const Entry& entry, const Real* x, Real* g) {
  const int whole_rounds = (rows - 1) / 2;
  for (int i = team.rank(); i < rows; i += team.size()) {
    const auto product = [&](int other, int place) {
      return entry(larger(i, other), smaller(i, other), place) * x[other];
    };
    Real sum = 0;
    int ahead = i, behind = i, place = 0;
    for (int round = 0; round < whole_rounds; ++round, place += rows) {
      ahead = ahead + 1 < rows ? ahead + 1 : 0;
      behind = behind > 0 ? behind - 1 : rows - 1;
      sum += product(ahead, place + i);
      sum += product(behind, place + behind);
    }
    if (rows % 2 == 0) {
      const int opposite = i < rows / 2 ? i + rows / 2 : i - rows / 2;
      sum += product(opposite, place + smaller(i, opposite));
    }
    g[i] = sum;
  }
}

}  // namespace neargp
