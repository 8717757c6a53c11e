#include "geometry/maxmin.h"

#include <limits>
#include <vector>

#include "geometry/engine_search.h"
#include "geometry/ordering.h"
#include "parallel/parallel_for.h"

namespace neargp {
namespace {

// For 10,000 rows, rounds take up to three times the CPU time of a tournament, and for a million 1.0 to 1.7 times as
// much (bench/ordering.sh).
bool rounds_pay(Points points, const RunContext& context) {
  const Index least = context.threads > 2 ? 20000 : 200000;
  return context.threads > 1 && points.n >= least && (points.dim == 2 || points.dim == 3);
}

}  // namespace

// The sum is in the order of the rows: on a lattice, its last bits decide between the rows around the centre.
int nearest_to_centroid(Points points, const RunContext& context) {
  std::vector<double> centroid(points.dim, 0.0);
  for (Index i = 0; i < points.n; ++i)
    for (int c = 0; c < points.dim; ++c) centroid[c] += points[i][c];
  for (double& x : centroid) x /= double(points.n);
  std::vector<RankedRow> nearest((points.n + light_range - 1) / light_range,
                                 {std::numeric_limits<double>::infinity(), 0});
  parallel_ranges(context, points.n, light_range, [&](Index first, Index last, Index chunk) {
    for (Index i = first; i < last; ++i) {
      const double distance2 = squared_distance(points[i], centroid.data(), points.dim);
      if (distance2 < nearest[chunk].distance2) nearest[chunk] = {distance2, int(i)};
    }
  });
  return std::min_element(nearest.begin(), nearest.end(),
                          [](const RankedRow& a, const RankedRow& b) { return a.distance2 < b.distance2; })
      ->row;
}

std::vector<int> maxmin_order(Points points, const RunContext& context, std::vector<double>* distance2) {
  if (points.n == 0) return {};
  RankedRows ranked;
  if (!maxmin_by_engine(points, ranked, context))
    ranked = rounds_pay(points, context) ? maxmin_by_rounds(points, context) : maxmin_by_tournament(points, context);
  std::vector<int> order(ranked.size());
  if (distance2) distance2->resize(ranked.size());
  parallel_ranges(context, points.n, light_range, [&](Index first, Index last, Index) {
    for (Index rank = first; rank < last; ++rank) {
      order[rank] = ranked[rank].row;
      if (distance2) (*distance2)[rank] = ranked[rank].distance2;
    }
  });
  return order;
}

}  // namespace neargp
