// R's BLAS and LAPACK, handed to the core.
#include "bind_blas.h"

#define USE_FC_LEN_T
#include <R_ext/BLAS.h>
#include <R_ext/Lapack.h>
#include <Rconfig.h>
#include <Rcpp.h>
#ifndef FCONE
#define FCONE
#endif

#include <string>

#include "linalg/blas_engine.h"

namespace {

void gemm(char trans_a, char trans_b, int m, int n, int k, double alpha, const double* a, int lda, const double* b,
          int ldb, double beta, double* c, int ldc) {
  F77_CALL(dgemm)(&trans_a, &trans_b, &m, &n, &k, &alpha, a, &lda, b, &ldb, &beta, c, &ldc FCONE FCONE);
}

void syrk(char uplo, char trans, int n, int k, double alpha, const double* a, int lda, double beta, double* c,
          int ldc) {
  F77_CALL(dsyrk)(&uplo, &trans, &n, &k, &alpha, a, &lda, &beta, c, &ldc FCONE FCONE);
}

void trsm(char side, char uplo, char trans, char diag, int m, int n, double alpha, const double* a, int lda, double* b,
          int ldb) {
  F77_CALL(dtrsm)(&side, &uplo, &trans, &diag, &m, &n, &alpha, a, &lda, b, &ldb FCONE FCONE FCONE FCONE);
}

int potrf(char uplo, int n, double* a, int lda) {
  int info = 0;
  F77_CALL(dpotrf)(&uplo, &n, a, &lda, &info FCONE);
  return info;
}

const neargp::FastBlas& r_blas() {
  static const neargp::FastBlas found = neargp::find_fast_blas(reinterpret_cast<const void*>(&F77_NAME(dgemm)));
  return found;
}

}  // namespace

void use_products_of(const Rcpp::List& context) {
  if (!Rcpp::as<bool>(context["blas"])) return neargp::use_product_engine(nullptr);
  static const neargp::ProductEngine& engine = neargp::blas_engine({gemm, syrk, trsm, potrf}, r_blas().threads);
  neargp::use_product_engine(&engine);
}

// The name that R's BLAS gives itself if it is one that is known to be fast, else "".
// [[Rcpp::export]]
std::string core_fast_blas() { return r_blas().configuration; }

// The engine that computes products at the moment.
// [[Rcpp::export]]
std::string core_product_engine() { return neargp::product_engine().name; }
