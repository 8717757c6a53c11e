// The engine of an OpenBLAS that is opened by its name, for programs of this folder.
#pragma once

#include <dlfcn.h>

#include <cstdio>

#include "linalg/blas_engine.h"

namespace neargp {

namespace opened {

// Fortran's routines of a library that is opened by its name. A process can open one library.
inline void* library = nullptr;

template <class Function>
Function* routine(const char* name) {
  return reinterpret_cast<Function*>(dlsym(library, name));
}

inline BlasRoutines opened_routines() {
  BlasRoutines routines;
  routines.gemm = [](char ta, char tb, int m, int n, int k, double alpha, const double* a, int lda, const double* b,
                     int ldb, double beta, double* c, int ldc) {
    static const auto call = routine<void(char*, char*, int*, int*, int*, double*, const double*, int*, const double*,
                                          int*, double*, double*, int*)>("dgemm_");
    call(&ta, &tb, &m, &n, &k, &alpha, a, &lda, b, &ldb, &beta, c, &ldc);
  };
  routines.syrk = [](char uplo, char trans, int n, int k, double alpha, const double* a, int lda, double beta,
                     double* c, int ldc) {
    static const auto call =
        routine<void(char*, char*, int*, int*, double*, const double*, int*, double*, double*, int*)>("dsyrk_");
    call(&uplo, &trans, &n, &k, &alpha, a, &lda, &beta, c, &ldc);
  };
  routines.trsm = [](char side, char uplo, char trans, char diag, int m, int n, double alpha, const double* a, int lda,
                     double* b, int ldb) {
    static const auto call =
        routine<void(char*, char*, char*, char*, int*, int*, double*, const double*, int*, double*, int*)>("dtrsm_");
    call(&side, &uplo, &trans, &diag, &m, &n, &alpha, a, &lda, b, &ldb);
  };
  routines.potrf = [](char uplo, int n, double* a, int lda) {
    static const auto call = routine<void(char*, int*, double*, int*, int*)>("dpotrf_");
    int info = 0;
    call(&uplo, &n, a, &lda, &info);
    return info;
  };
  return routines;
}

}  // namespace opened

// Returns false where the library does not exist or is not an OpenBLAS.
inline bool use_opened_blas(const char* name) {
  opened::library = dlopen(name, RTLD_NOW);
  const FastBlas found = find_fast_blas(opened::library ? dlsym(opened::library, "dgemm_") : nullptr);
  if (found.configuration.empty()) return false;
  std::printf("%s\n", found.configuration.c_str());
  use_product_engine(&blas_engine(opened::opened_routines(), found.threads));
  return true;
}

}  // namespace neargp
