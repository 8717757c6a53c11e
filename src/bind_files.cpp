// Functions of files and clocks that checkpoints need, as R calls them (R/checkpoint.R).
#include <Rcpp.h>

#include <chrono>

#include "base/file.h"

namespace {

neargp::Bytes bytes_of(const Rcpp::RawVector& raw) { return {raw.begin(), std::size_t(raw.size())}; }

}  // namespace

// [[Rcpp::export]]
void core_replace_file(const std::string& path, const Rcpp::RawVector& bytes) {
  neargp::replace_file(path, bytes_of(bytes));
}

// [[Rcpp::export]]
void core_append_to_file(const std::string& path, const Rcpp::RawVector& bytes) {
  neargp::append_to_file(path, bytes_of(bytes));
}

// NULL where another process holds it.
// [[Rcpp::export]]
SEXP core_lock_file(const std::string& path) {
  Rcpp::XPtr<neargp::FileLock> lock(new neargp::FileLock(path), true);
  return lock->held() ? SEXP(lock) : R_NilValue;
}

// [[Rcpp::export]]
void core_unlock_file(SEXP lock) { Rcpp::XPtr<neargp::FileLock>(lock).release(); }

// Seconds of a clock that is never set.
// [[Rcpp::export]]
double core_monotonic_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}
