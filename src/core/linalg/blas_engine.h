// The ProductEngine of a BLAS and LAPACK from outside the core. The core is independent of R: whoever links a BLAS
// hands over its routines.
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

// Functions that read and set the number of threads that a BLAS uses for one call. The package's own threads work on
// tiles and chunks. The number must therefore be one during our calls, and is restored after them. A BLAS with threads
// from OpenMP keeps another number for each calling thread; for other libraries the last two functions are null.
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

// Whether the library with the routine at `member` is OpenBLAS, judged by the functions that only OpenBLAS contains.
// With a measurement, the load of the machine would decide on the last digits of a result. The file's name does not
// decide because several libraries are called "libblas.so.3" or "libRblas.so".
FastBlas find_fast_blas(const void* member);

// Valid until the next call, since a process uses one BLAS.
const ProductEngine& blas_engine(const BlasRoutines& routines, const BlasThreads& threads);

}  // namespace neargp
