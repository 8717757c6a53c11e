// What R keeps beside a fit for its next predictions, without being part of it (R/kept.R).
#include <Rcpp.h>

#include "base/error.h"

namespace {

// A keeper is an external pointer to nothing, so that all are identical(). It protects an environment, into which
// object.size() does not look, with a weak reference, whose value lives as long as the keeper and is not written by
// serialize(): what is read back is a keeper that has nothing.
Rcpp::Environment holder(SEXP keeper) {
  if (TYPEOF(keeper) != EXTPTRSXP || TYPEOF(R_ExternalPtrProtected(keeper)) != ENVSXP)
    throw neargp::Error("This is no keeper of what a fit's predictions need.");
  return Rcpp::Environment(R_ExternalPtrProtected(keeper));
}

}  // namespace

// [[Rcpp::export]]
void core_keep(SEXP keeper, SEXP value) {
  holder(keeper).assign("kept", Rcpp::RObject(R_MakeWeakRef(keeper, value, R_NilValue, FALSE)));
}

// [[Rcpp::export]]
SEXP core_keeper() {
  const Rcpp::Environment empty = Rcpp::Environment::empty_env().new_child(false);
  const Rcpp::Shield<SEXP> keeper(R_MakeExternalPtr(nullptr, R_NilValue, empty));
  core_keep(keeper, R_NilValue);
  return keeper;
}

// NULL where there is nothing.
// [[Rcpp::export]]
SEXP core_kept(SEXP keeper) { return R_WeakRefValue(holder(keeper).get("kept")); }
