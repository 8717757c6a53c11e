#include <Rcpp.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include "base/error.h"
#include "bind_convert.h"
#include "bind_covariance.h"
#include "bind_neighbors.h"
#include "geometry/conditioning_blocks.h"
#include "geometry/longlat.h"
#include "geometry/neighbor_index.h"
#include "geometry/ordering.h"

// [[Rcpp::export]]
Rcpp::NumericMatrix core_embed_longlat(const Rcpp::NumericMatrix& lonlat) {
  const PointStore points(lonlat);
  return from_row_major(neargp::embed_longlat(points.view()), 3);
}

namespace {

std::uint64_t to_key(double key) {
  if (!(key >= 0.0 && key < 9007199254740992.0)) throw neargp::Error("A random key must be a number in [0, 2^53).");
  return std::uint64_t(key);
}

neargp::Surface to_surface(bool on_sphere) { return on_sphere ? neargp::Surface::sphere : neargp::Surface::plane; }

// Points in the metric of a component, indexed; queries are scaled as the points were.
struct ScaledIndex {
  Metric metric;
  neargp::NeighborIndex index;
  Lags lags;

  ScaledIndex(const Rcpp::NumericMatrix& coords, const Rcpp::List& component,
              const Rcpp::Nullable<Rcpp::List>& nearness)
      : metric(component, coords.ncol()), index(metric.scaled(PointStore(coords).view()), metric.dim()),
        lags(nearness, metric.dim()) {}
};

using IndexPointer = Rcpp::XPtr<ScaledIndex>;

// Calls search(scaled index, queries) with the queries in the index's metric.
template <class Search>
SEXP search_index(SEXP index, const Rcpp::NumericMatrix& newcoords, const Search& search) {
  IndexPointer pointer(index);
  const std::vector<double> queries = pointer->metric.scaled(PointStore(newcoords).view());
  return to_r(search(*pointer, neargp::Points{queries.data(), newcoords.nrow(), pointer->metric.dim()}));
}

}  // namespace

// [[Rcpp::export]]
Rcpp::IntegerVector core_order(const Rcpp::NumericMatrix& coords, const std::string& method, double key,
                               const Rcpp::List& context) {
  if (method == "random") return to_r(neargp::random_order(coords.nrow(), to_key(key)));
  const PointStore points(coords);
  if (method == "maxmin") return to_r(neargp::maxmin_order(points.view(), run_context(context)));
  if (method == "coordinate") return to_r(neargp::coordinate_order(points.view()));
  throw neargp::Error("There is no ordering called '" + method + "'.");
}

// Rows in maxmin order, and the squared distance of each to those before it.
// [[Rcpp::export]]
Rcpp::List core_maxmin(const Rcpp::NumericMatrix& coords, const Rcpp::List& context) {
  std::vector<double> distance2;
  const std::vector<int> order = neargp::maxmin_order(PointStore(coords).view(), run_context(context), &distance2);
  return Rcpp::List::create(Rcpp::_["order"] = to_r(order), Rcpp::_["distance2"] = distance2);
}

// Squared distance of each query to the last of its neighbours, infinity where there are fewer than k.
// [[Rcpp::export]]
Rcpp::NumericVector core_neighbor_reach(const Rcpp::NumericMatrix& coords, const Rcpp::NumericMatrix& newcoords,
                                        SEXP neighbors) {
  const PointStore reference(coords), queries(newcoords);
  Neighbors sets(neighbors);
  const neargp::NeighborTable& table = sets.table();
  if (table.n != queries.view().n) throw neargp::Error("The table of neighbours must have one row for each query.");
  Rcpp::NumericVector reach(int(table.n), R_PosInf);
  for (neargp::Index i = 0; i < table.n; ++i) {
    const int last = table.k > 0 ? table[i][table.k - 1] : -1;
    if (last >= reference.view().n) throw neargp::Error("A neighbour is none of the rows.");
    if (last >= 0) reach[i] = neargp::squared_distance(reference.view()[last], queries.view()[i], reference.view().dim);
  }
  return reach;
}

// [[Rcpp::export]]
SEXP core_neighbors_before(const Rcpp::NumericMatrix& coords, const Rcpp::IntegerVector& order, int k,
                           const Rcpp::List& context, const Rcpp::Nullable<Rcpp::List>& lags = R_NilValue) {
  const PointStore points(coords);
  const Lags near(lags, coords.ncol());
  return to_r(neargp::nearest_before(points.view(), to_rows(order), k, run_context(context), near.order()));
}

// Blocks of rows and their neighbours, see geometry/conditioning_blocks.h.
// [[Rcpp::export]]
Rcpp::List core_block_neighbors(const Rcpp::NumericMatrix& coords, const Rcpp::IntegerVector& order, int block, int k,
                                const Rcpp::List& context) {
  const PointStore points(coords);
  neargp::ConditioningBlocks blocks =
      neargp::block_neighbors(points.view(), to_rows(order), block, k, run_context(context));
  Rcpp::IntegerVector targets(blocks.targets.size());
  std::transform(blocks.targets.begin(), blocks.targets.end(), targets.begin(), to_one_based);
  return Rcpp::List::create(Rcpp::_["neighbors"] = to_r(std::move(blocks.neighbors)), Rcpp::_["targets"] = targets,
                            Rcpp::_["block"] = block);
}

// [[Rcpp::export]]
SEXP core_neighbors_earlier(const Rcpp::NumericMatrix& coords, const Rcpp::IntegerVector& rank,
                            const Rcpp::NumericMatrix& newcoords, const Rcpp::IntegerVector& new_rank, int k,
                            const Rcpp::List& context) {
  const PointStore reference(coords), queries(newcoords);
  return to_r(neargp::nearest_earlier(reference.view(), to_rows(rank), queries.view(), to_rows(new_rank), k,
                                      run_context(context)));
}

// [[Rcpp::export]]
SEXP core_neighbors_others(const Rcpp::NumericMatrix& coords, int k, const Rcpp::List& context,
                           const Rcpp::Nullable<Rcpp::List>& lags = R_NilValue) {
  const PointStore points(coords);
  const Lags near(lags, coords.ncol());
  return to_r(neargp::nearest_others(points.view(), k, run_context(context), near.order()));
}

// [[Rcpp::export]]
SEXP core_neighbors_to(const Rcpp::NumericMatrix& coords, const Rcpp::NumericMatrix& newcoords, int k,
                       const Rcpp::List& context) {
  const PointStore reference(coords), queries(newcoords);
  return to_r(neargp::nearest_to(reference.view(), queries.view(), k, run_context(context)));
}

// Neighbours by an index that is made once. Coordinates are those of the data: the index scales them.
// [[Rcpp::export]]
SEXP core_index(const Rcpp::NumericMatrix& coords, const Rcpp::List& component,
                const Rcpp::Nullable<Rcpp::List>& lags = R_NilValue) {
  return IndexPointer(new ScaledIndex(coords, component, lags), true);
}

// [[Rcpp::export]]
SEXP core_index_nearest(SEXP index, const Rcpp::NumericMatrix& newcoords, int k, const Rcpp::List& context) {
  return search_index(index, newcoords, [&](ScaledIndex& points, neargp::Points queries) {
    return points.index.nearest(queries, k, run_context(context), points.lags.order());
  });
}

// [[Rcpp::export]]
SEXP core_index_by_sector(SEXP index, const Rcpp::NumericMatrix& newcoords, bool on_sphere, int sectors, int per_sector,
                          const Rcpp::List& context) {
  return search_index(index, newcoords, [&](ScaledIndex& points, neargp::Points queries) {
    return points.index.by_sector(queries, to_surface(on_sphere), sectors, per_sector, run_context(context));
  });
}

// [[Rcpp::export]]
SEXP core_index_thinned(SEXP index, const Rcpp::NumericMatrix& newcoords, double separation, int k,
                        const Rcpp::List& context) {
  return search_index(index, newcoords, [&](ScaledIndex& points, neargp::Points queries) {
    return points.index.thinned(queries, separation, k, run_context(context));
  });
}

// [[Rcpp::export]]
SEXP core_neighbors_joint(const Rcpp::NumericMatrix& coords, const Rcpp::NumericMatrix& newcoords,
                          const Rcpp::IntegerVector& order_new, int k, const Rcpp::List& context,
                          const Rcpp::Nullable<Rcpp::List>& lags = R_NilValue) {
  const PointStore reference(coords), queries(newcoords);
  const Lags near(lags, coords.ncol());
  return to_r(neargp::nearest_joint(reference.view(), queries.view(), to_rows(order_new), k, run_context(context),
                                    near.order()));
}
