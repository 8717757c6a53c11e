// The two ways to the maxmin order of geometry/ordering.h. Both return the same ranks to the bit.
#pragma once

#include <cstdint>
#include <cstring>

#include "base/run_context.h"
#include "base/unset_vector.h"
#include "geometry/points.h"

namespace neargp {

// A row in the order in which rows are chosen, with its squared distance to those before it.
struct RankedRow {
  double distance2;
  int row;

  bool operator<(const RankedRow& other) const {
    return distance2 > other.distance2 || (distance2 == other.distance2 && row < other.row);
  }
};

using RankedRows = UnsetVector<RankedRow>;

// The row with which the order begins. The first of equals is taken.
int nearest_to_centroid(Points points, const RunContext& context);

// One row after the other, on one thread: geometry/tournament.h. For any dimension.
RankedRows maxmin_by_tournament(Points points, const RunContext& context);

// Goes on with `rows`, whose squared distances to the rows chosen before are `distance2`, by row of `points`.
RankedRows maxmin_by_tournament(Points points, const UnsetVector<int>& rows, const UnsetVector<double>& distance2,
                                const RunContext& context);

// Many rows at a time, on all threads: geometry/maxmin_phase.h. For two and three dimensions.
RankedRows maxmin_by_rounds(Points points, const RunContext& context);

// Positive numbers are ordered as their bits are.
inline std::uint64_t bits_of(double x) {
  std::uint64_t bits;
  std::memcpy(&bits, &x, sizeof(bits));
  return bits;
}

}  // namespace neargp
