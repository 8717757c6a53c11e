// Objects that R keeps with a fit for its next predictions, without being part of it (R/cache.R).
#include <Rcpp.h>

#include "base/error.h"

namespace {

// A cache is an external pointer to nothing, so that all are identical(). It protects an environment, into which
// object.size() does not look. A weak reference in the environment keeps the value as long as the cache lives. Since
// serialize() does not write the value, a cache that is read back is empty. A cache that other writers have emptied
// gets a new environment.
Rcpp::Environment holder(SEXP cache) {
  if (TYPEOF(cache) != EXTPTRSXP) throw neargp::Error("This is no cache of what a fit's predictions need.");
  if (TYPEOF(R_ExternalPtrProtected(cache)) != ENVSXP) {
    const Rcpp::Environment empty = Rcpp::Environment::empty_env().new_child(false);
    R_SetExternalPtrProtected(cache, empty);
    empty.assign("kept", Rcpp::RObject(R_MakeWeakRef(cache, R_NilValue, R_NilValue, FALSE)));
  }
  return Rcpp::Environment(R_ExternalPtrProtected(cache));
}

}  // namespace

// [[Rcpp::export]]
void core_set_cache(SEXP cache, SEXP value) {
  holder(cache).assign("kept", Rcpp::RObject(R_MakeWeakRef(cache, value, R_NilValue, FALSE)));
}

// [[Rcpp::export]]
SEXP core_new_cache() {
  const Rcpp::Shield<SEXP> cache(R_MakeExternalPtr(nullptr, R_NilValue, R_NilValue));
  holder(cache);
  return cache;
}

// NULL where there is nothing.
// [[Rcpp::export]]
SEXP core_get_cache(SEXP cache) { return R_WeakRefValue(holder(cache).get("kept")); }
