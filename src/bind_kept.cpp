// What R keeps beside a fit for its next predictions, without being part of it (R/kept.R).
#include <Rcpp.h>

#include "base/error.h"

namespace {

// A keeper is an external pointer to nothing, so that all are identical(). It protects an environment, into which
// object.size() does not look, with a weak reference, whose value lives as long as the keeper and is not written by
// serialize(): what is read back is a keeper that has nothing.
// One that other writers than serialize() have emptied gets a new environment.
Rcpp::Environment holder(SEXP keeper) {
  if (TYPEOF(keeper) != EXTPTRSXP) throw neargp::Error("This is no keeper of what a fit's predictions need.");
  if (TYPEOF(R_ExternalPtrProtected(keeper)) != ENVSXP) {
    const Rcpp::Environment empty = Rcpp::Environment::empty_env().new_child(false);
    R_SetExternalPtrProtected(keeper, empty);
    empty.assign("kept", Rcpp::RObject(R_MakeWeakRef(keeper, R_NilValue, R_NilValue, FALSE)));
  }
  return Rcpp::Environment(R_ExternalPtrProtected(keeper));
}

}  // namespace

// [[Rcpp::export]]
void core_keep(SEXP keeper, SEXP value) {
  holder(keeper).assign("kept", Rcpp::RObject(R_MakeWeakRef(keeper, value, R_NilValue, FALSE)));
}

// [[Rcpp::export]]
SEXP core_keeper() {
  const Rcpp::Shield<SEXP> keeper(R_MakeExternalPtr(nullptr, R_NilValue, R_NilValue));
  holder(keeper);
  return keeper;
}

// NULL where there is nothing.
// [[Rcpp::export]]
SEXP core_kept(SEXP keeper) { return R_WeakRefValue(holder(keeper).get("kept")); }
