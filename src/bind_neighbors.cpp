#include "bind_neighbors.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "bind_convert.h"

using neargp::Index;
using neargp::NeighborTable;

namespace {

using TablePointer = Rcpp::XPtr<NeighborTable>;

}  // namespace

SEXP to_r(NeighborTable table) {
  TablePointer pointer(new NeighborTable(std::move(table)), true);
  pointer.attr("class") = "neargp_neighbor_table";
  return pointer;
}

Neighbors::Neighbors(SEXP neighbors) : object_(neighbors) {
  if (TYPEOF(neighbors) == EXTPTRSXP)
    in_core_ = TablePointer(neighbors).checked_get();
  else
    object_ = Rcpp::IntegerMatrix(neighbors);
}

int Neighbors::k() const { return in_core_ ? in_core_->k : Rf_nrows(object_); }

Index Neighbors::n() const { return in_core_ ? in_core_->n : Rf_ncols(object_); }

neargp::NeighborRows Neighbors::rows() const {
  if (in_core_) return *in_core_;
  return {INTEGER(object_), n(), k(), 1, NA_INTEGER};
}

const NeighborTable& Neighbors::table() {
  if (in_core_) return *in_core_;
  made_ = NeighborTable(n(), k());
  const int* rows = INTEGER(object_);
  std::transform(rows, rows + made_.index.size(), made_.index.begin(), to_zero_based);
  return made_;
}

Rcpp::IntegerMatrix Neighbors::matrix() const {
  if (!in_core_) return Rcpp::IntegerMatrix(object_);
  Rcpp::IntegerMatrix out(Rcpp::no_init(k(), int(n())));
  std::transform(in_core_->index.begin(), in_core_->index.end(), out.begin(), to_one_based);
  return out;
}

// [[Rcpp::export]]
Rcpp::IntegerMatrix core_neighbor_matrix(SEXP neighbors) { return Neighbors(neighbors).matrix(); }

// Frees a table at once: R collects garbage by the size of its own objects, not of the core's.
// [[Rcpp::export]]
void core_release_neighbors(SEXP neighbors) { TablePointer(neighbors).release(); }

// k and n.
// [[Rcpp::export]]
Rcpp::IntegerVector core_neighbor_dim(SEXP neighbors) {
  const Neighbors table(neighbors);
  return Rcpp::IntegerVector::create(table.k(), int(table.n()));
}

// The first k of each row.
// [[Rcpp::export]]
SEXP core_neighbors_first(SEXP neighbors, int k) {
  Neighbors input(neighbors);
  const NeighborTable& all = input.table();
  if (k < 0 || k > all.k) throw neargp::Error("There are not so many neighbours.");
  NeighborTable first(all.n, k);
  for (Index i = 0; i < all.n; ++i) std::copy_n(all[i], k, first[i]);
  return to_r(std::move(first));
}

// Neighbours of the first n rows.
// [[Rcpp::export]]
SEXP core_neighbors_head(SEXP neighbors, int n) {
  Neighbors input(neighbors);
  const NeighborTable& all = input.table();
  if (n < 0 || n > all.n) throw neargp::Error("There are not so many rows of neighbours.");
  NeighborTable head(n, all.k);
  std::copy_n(all.index.begin(), std::size_t(n) * all.k, head.index.begin());
  return to_r(std::move(head));
}
