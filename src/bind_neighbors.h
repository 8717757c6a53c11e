// Tables of neighbours between R and the core.
#pragma once

#include <Rcpp.h>

#include "conditional/problem.h"
#include "geometry/neighbors.h"

// An external pointer to a table that stays in the core, of class neargp_neighbor_table. R passes it on, and gets the
// matrix where it asks for it (R/neighbor-table.R).
SEXP to_r(neargp::NeighborTable table);

// The neighbours that R passes: a table of the core, or a matrix of R, k x n, numbered from 1 and NA where there are
// fewer.
class Neighbors {
 public:
  explicit Neighbors(SEXP neighbors);

  int k() const;
  neargp::Index n() const;
  // Rows for a problem to read, without a copy.
  neargp::NeighborRows rows() const;
  // The table of the core, or one made of R's matrix. It lives as long as this object.
  const neargp::NeighborTable& table();
  // The matrix of R, or one made of the core's table.
  Rcpp::IntegerMatrix matrix() const;

 private:
  Rcpp::RObject object_;
  const neargp::NeighborTable* in_core_ = nullptr;
  neargp::NeighborTable made_;
};
