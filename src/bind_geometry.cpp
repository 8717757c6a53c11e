#include <Rcpp.h>

#include <cstdint>
#include <string>

#include "base/error.h"
#include "bind_convert.h"
#include "geometry/longlat.h"
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

}  // namespace

// [[Rcpp::export]]
Rcpp::IntegerVector core_order(const Rcpp::NumericMatrix& coords, const std::string& method, double key, int threads) {
  if (method == "random") return to_r(neargp::random_order(coords.nrow(), to_key(key)));
  const PointStore points(coords);
  if (method == "maxmin") return to_r(neargp::maxmin_order(points.view(), make_run_context(threads)));
  if (method == "coordinate") return to_r(neargp::coordinate_order(points.view()));
  throw neargp::Error("There is no ordering called '" + method + "'.");
}

// [[Rcpp::export]]
Rcpp::IntegerMatrix core_neighbors_before(const Rcpp::NumericMatrix& coords, const Rcpp::IntegerVector& order, int k,
                                          int threads) {
  const PointStore points(coords);
  return to_r(neargp::nearest_before(points.view(), to_rows(order), k, make_run_context(threads)));
}

// [[Rcpp::export]]
Rcpp::IntegerMatrix core_neighbors_earlier(const Rcpp::NumericMatrix& coords, const Rcpp::IntegerVector& rank,
                                           const Rcpp::NumericMatrix& newcoords, const Rcpp::IntegerVector& new_rank,
                                           int k, int threads) {
  const PointStore reference(coords), queries(newcoords);
  return to_r(neargp::nearest_earlier(reference.view(), to_rows(rank), queries.view(), to_rows(new_rank), k,
                                      make_run_context(threads)));
}

// [[Rcpp::export]]
Rcpp::IntegerMatrix core_neighbors_others(const Rcpp::NumericMatrix& coords, int k, int threads) {
  const PointStore points(coords);
  return to_r(neargp::nearest_others(points.view(), k, make_run_context(threads)));
}

// [[Rcpp::export]]
Rcpp::IntegerMatrix core_neighbors_to(const Rcpp::NumericMatrix& coords, const Rcpp::NumericMatrix& newcoords, int k,
                                      int threads) {
  const PointStore reference(coords), queries(newcoords);
  return to_r(neargp::nearest_to(reference.view(), queries.view(), k, make_run_context(threads)));
}

// [[Rcpp::export]]
Rcpp::IntegerMatrix core_neighbors_by_sector(const Rcpp::NumericMatrix& coords, const Rcpp::NumericMatrix& newcoords,
                                             bool on_sphere, int sectors, int per_sector, int threads) {
  const PointStore reference(coords), queries(newcoords);
  const auto surface = on_sphere ? neargp::Surface::sphere : neargp::Surface::plane;
  return to_r(neargp::nearest_by_sector(reference.view(), queries.view(), surface, sectors, per_sector,
                                        make_run_context(threads)));
}

// [[Rcpp::export]]
Rcpp::IntegerMatrix core_neighbors_joint(const Rcpp::NumericMatrix& coords, const Rcpp::NumericMatrix& newcoords,
                                         const Rcpp::IntegerVector& order_new, int k, int threads) {
  const PointStore reference(coords), queries(newcoords);
  return to_r(
      neargp::nearest_joint(reference.view(), queries.view(), to_rows(order_new), k, make_run_context(threads)));
}
