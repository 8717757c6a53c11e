#include <limits>

#include "geometry/maxmin.h"
#include "geometry/tournament.h"
#include "parallel/parallel_for.h"

namespace neargp {
namespace {

// Every choice depends on the one before, so the rows are chosen by one thread, in steps between which the computation
// can be interrupted.
template <int Dim, class DistanceOfRow>
RankedRows play(Points points, const KdTree& tree, const DistanceOfRow& distance2_of, const RunContext& context) {
  Tournament<Dim> tournament(tree, distance2_of);
  RankedRows order(tree.size());
  RunContext serial = context;
  serial.threads = 1;
  parallel_ranges(serial, tree.size(), 64, [&](Index first, Index last, Index) {
    for (Index rank = first; rank < last; ++rank) {
      order[rank] = {tournament.distance2(), tournament.champion()};
      tournament.choose_champion(points[order[rank].row]);
    }
  });
  return order;
}

template <class DistanceOfRow>
RankedRows play_in_dimension(Points points, const KdTree& tree, const DistanceOfRow& distance2_of,
                             const RunContext& context) {
  switch (points.dim) {
    case 1: return play<1>(points, tree, distance2_of, context);
    case 2: return play<2>(points, tree, distance2_of, context);
    case 3: return play<3>(points, tree, distance2_of, context);
    case 4: return play<4>(points, tree, distance2_of, context);
    default: return play<0>(points, tree, distance2_of, context);
  }
}

}  // namespace

// Before anything is chosen all distances are equal, and that of the first row is larger.
RankedRows maxmin_by_tournament(Points points, const RunContext& context) {
  const KdTree tree(points, context);
  const int first = nearest_to_centroid(points, context);
  return play_in_dimension(
      points, tree,
      [first](int row) {
        return row == first ? std::numeric_limits<double>::infinity() : std::numeric_limits<double>::max();
      },
      context);
}

RankedRows maxmin_by_tournament(Points points, const UnsetVector<int>& rows, const UnsetVector<double>& distance2,
                                const RunContext& context) {
  const KdTree tree(points, rows, context);
  return play_in_dimension(
      points, tree, [&](int row) { return distance2[row]; }, context);
}

}  // namespace neargp
