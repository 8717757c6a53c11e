#include "geometry/engine_search.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "geometry/curve.h"
#include "geometry/neighbor_engine.h"
#include "parallel/parallel_for.h"
#include "parallel/radix_sort.h"

namespace neargp {
namespace {

bool engine_pays(const NeighborRequest& request, const RunContext& context, bool finite = false) {
  const NeighborEngine* engine = context.neighbors;
  if (!engine || request.reference.n == 0 || request.queries.n == 0 || request.k == 0) return false;
  if (!finite) check_finite(request.reference, context);
  if (request.queries.data) check_finite(request.queries, context);
  return !engine->pays || engine->pays(request, context);
}

NeighborRequest make_request(Points reference, Points queries, int k) {
  NeighborRequest request;
  request.reference = reference;
  request.queries = queries;
  request.k = k;
  return request;
}

RunContext without_progress(RunContext context) {
  context.progress = nullptr;
  return context;
}

// As before_by_engine(), by the engine's own search of earlier points. False if there is none.
bool before_along_curve(Points points, const std::vector<int>& order, Index first_rank, Index first_row,
                        NeighborTable& table, const RunContext& context) {
  if (!has_curve_engine(points, table.k, context)) return false;
  const UnsetVector<int> along_curve = rows_along_hilbert(points, without_progress(context));
  if (along_curve.empty()) return false;
  EarlierRequest request;
  request.points = points;
  request.order = order.data();
  request.along_curve = along_curve.data();
  request.first_rank = first_rank;
  request.first_row = first_row;
  request.k = table.k;
  request.index = table.index.data();
  context.neighbors->curve->search_earlier(request, context);
  return true;
}

// The order follows from the distances at which rows are chosen: geometry/maxmin_phase.h. `order` is by row.
void sort_by_distance(RankedRows& order, const RunContext& context) {
  const std::uint64_t largest = bits_of(std::numeric_limits<double>::infinity());
  radix_sort(
      order, 63, [largest](const RankedRow& ranked) { return largest - bits_of(ranked.distance2); }, context);
}

// The tournament goes on with the rows that the engine left, as after an incomplete phase (geometry/maxmin_rounds.cpp).
void choose_rows_left(Points points, const UnsetVector<double>& distance2, RankedRows& order,
                      const RunContext& context) {
  UnsetVector<int> left;
  for (Index row = 0; row < points.n; ++row)
    if (distance2[row] > 0.0) left.push_back(int(row));
  if (left.empty()) return;
  for (const RankedRow& ranked : maxmin_by_tournament(points, left, distance2, context)) order[ranked.row] = ranked;
}

}  // namespace

bool has_curve_engine(Points points, int k, const RunContext& context) {
  const CurveEngine* engine = context.neighbors ? context.neighbors->curve : nullptr;
  if (!engine || !engine->pays(points.n, points.dim, k, context)) return false;
  check_finite(points, context);
  return true;
}

bool before_by_engine(Points points, const std::vector<int>& order, Index first_rank, Index first_row,
                      NeighborTable& table, const RunContext& context) {
  if (table.k > 0 && before_along_curve(points, order, first_rank, first_row, table, context)) return true;
  const Index queries = points.n - first_rank;
  NeighborRequest request = make_request(points, {nullptr, queries, points.dim}, table.k);
  if (!engine_pays(request, context)) return false;
  std::vector<double> in_order(std::size_t(points.n * points.dim));
  for (Index rank = 0; rank < points.n; ++rank)
    std::copy_n(points[order[rank]], points.dim, in_order.data() + rank * points.dim);
  std::vector<int> limit(queries), index(std::size_t(queries * table.k), -1);
  std::iota(limit.begin(), limit.end(), int(first_rank));
  request.reference.data = in_order.data();
  request.queries.data = in_order.data() + first_rank * points.dim;
  request.label = order.data();
  request.limit = limit.data();
  request.index = index.data();
  context.neighbors->search(request, context);
  for (Index j = 0; j < queries; ++j)
    std::copy_n(index.data() + j * table.k, table.k, table[order[first_rank + j] - first_row]);
  return true;
}

bool others_by_engine(Points points, NeighborTable& table, const RunContext& context) {
  NeighborRequest request = make_request(points, points, table.k);
  if (!engine_pays(request, context)) return false;
  std::vector<int> own(points.n);
  std::iota(own.begin(), own.end(), 0);
  request.excluded = own.data();
  request.index = table.index.data();
  context.neighbors->search(request, context);
  return true;
}

bool nearest_by_engine(Points reference, Points queries, NeighborTable& table, const RunContext& context, bool finite) {
  NeighborRequest request = make_request(reference, queries, table.k);
  if (!engine_pays(request, context, finite)) return false;
  request.index = table.index.data();
  context.neighbors->search(request, context);
  return true;
}

bool maxmin_by_engine(Points points, RankedRows& order, const RunContext& context) {
  if (!has_curve_engine(points, 0, context)) return false;
  const RunContext silent = without_progress(context);
  const UnsetVector<int> along_curve = rows_along_hilbert(points, silent);
  if (along_curve.empty()) return false;
  UnsetVector<double> distance2(points.n);
  MaxminRequest request;
  request.points = points;
  request.along_curve = along_curve.data();
  request.first = nearest_to_centroid(points, silent);
  request.distance2 = distance2.data();
  context.neighbors->curve->maxmin(request, context);
  order.resize(points.n);
  parallel_ranges(silent, points.n, light_range, [&](Index first, Index last, Index) {
    for (Index row = first; row < last; ++row) order[row] = {distance2[row] < 0.0 ? -distance2[row] : 0.0, int(row)};
  });
  choose_rows_left(points, distance2, order, silent);
  sort_by_distance(order, silent);
  return true;
}

}  // namespace neargp
