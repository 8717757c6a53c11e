#include "geometry/engine_search.h"

#include <algorithm>
#include <numeric>

#include "geometry/neighbor_engine.h"

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

}  // namespace

bool before_by_engine(Points points, const std::vector<int>& order, Index first_rank, Index first_row,
                      NeighborTable& table, const RunContext& context) {
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

}  // namespace neargp
