// The ProductEngine of a BLAS and LAPACK from outside the core. The core knows no R: whoever links a BLAS hands its
// routines over.
#pragma once

#include <string>

#include "linalg/product_engine.h"

namespace neargp {

// Routines of BLAS and LAPACK with arguments by value, in the order of Fortran. potrf returns `info`.
struct BlasRoutines {
  void (*gemm)(char trans_a, char trans_b, int m, int n, int k, double alpha, const double* a, int lda, const double* b,
               int ldb, double beta, double* c, int ldc);
  void (*syrk)(char uplo, char trans, int n, int k, double alpha, const double* a, int lda, double beta, double* c,
               int ldc);
  void (*trsm)(char side, char uplo, char trans, char diag, int m, int n, double alpha, const double* a, int lda,
               double* b, int ldb);
  int (*potrf)(char uplo, int n, double* a, int lda);
};

// The number of threads that a BLAS takes for one call. The package's threads work on tiles and chunks, so that it must
// be one during our calls, and as before after them. Where the BLAS has its threads from OpenMP, each calling thread
// has a number of its own as well; else those two are null.
struct BlasThreads {
  int (*get)();
  void (*set)(int);
  int (*get_openmp)();
  void (*set_openmp)(int);
};

struct FastBlas {
  std::string configuration;  // as the library itself says; empty where it is not known to be a fast one
  BlasThreads threads;
};

// Whether the library with the routine at `member` is OpenBLAS, by the functions that are its own. Not by a
// measurement: with one, the load of the machine would decide on the last digits of a result. Not by the file's name
// either, which is "libblas.so.3" or "libRblas.so" for several libraries.
FastBlas find_fast_blas(const void* member);

// Valid until the next call, for one BLAS is what a process has.
const ProductEngine& blas_engine(const BlasRoutines& routines, const BlasThreads& threads);

}  // namespace neargp
