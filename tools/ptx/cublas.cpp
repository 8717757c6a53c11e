// cuBLAS and cuSOLVER for the interpreted GPU: as much of them as the module (src/cuda) uses, by Eigen, linked in their
// place. The memory of that GPU is the host's.
#include <cublas_v2.h>
#include <cusolverDn.h>

#include "linalg/product_engine.h"

namespace {

using neargp::Block;
using neargp::ConstBlock;

int handle;  // all that there is behind one

ConstBlock operand(const double* data, int rows, int columns, int stride, cublasOperation_t operation) {
  const bool transposed = operation == CUBLAS_OP_T;
  return {data, transposed ? columns : rows, transposed ? rows : columns, stride, transposed};
}

}  // namespace

extern "C" {

cublasStatus_t cublasCreate_v2(cublasHandle_t* created) {
  *created = reinterpret_cast<cublasHandle_t>(&handle);
  return CUBLAS_STATUS_SUCCESS;
}

const char* cublasGetStatusString(cublasStatus_t) { return "a status"; }

cublasStatus_t cublasDgemm_v2(cublasHandle_t, cublasOperation_t a_operation, cublasOperation_t b_operation, int m,
                              int n, int k, const double* alpha, const double* a, int lda, const double* b, int ldb,
                              const double* beta, double* c, int ldc) {
  if (*beta != 1.0) return CUBLAS_STATUS_NOT_SUPPORTED;
  neargp::eigen_engine().add_product(*alpha, operand(a, m, k, lda, a_operation), operand(b, k, n, ldb, b_operation),
                                     {c, m, n, ldc});
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasDsyrk_v2(cublasHandle_t, cublasFillMode_t uplo, cublasOperation_t operation, int n, int k,
                              const double* alpha, const double* a, int lda, const double* beta, double* c, int ldc) {
  if (uplo != CUBLAS_FILL_MODE_LOWER || *beta != 1.0) return CUBLAS_STATUS_NOT_SUPPORTED;
  neargp::eigen_engine().add_square(*alpha, operand(a, n, k, lda, operation), {c, n, n, ldc});
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasDtrsm_v2(cublasHandle_t, cublasSideMode_t side, cublasFillMode_t uplo, cublasOperation_t operation,
                              cublasDiagType_t diagonal, int m, int n, const double* alpha, const double* a, int lda,
                              double* b, int ldb) {
  if (uplo != CUBLAS_FILL_MODE_LOWER || diagonal != CUBLAS_DIAG_NON_UNIT || *alpha != 1.0)
    return CUBLAS_STATUS_NOT_SUPPORTED;
  const int size = side == CUBLAS_SIDE_LEFT ? m : n;
  const ConstBlock lower = operand(a, size, size, lda, operation);
  const Block x{b, m, n, ldb};
  side == CUBLAS_SIDE_LEFT ? neargp::eigen_engine().solve_left(lower, x) : neargp::eigen_engine().solve_right(lower, x);
  return CUBLAS_STATUS_SUCCESS;
}

cusolverStatus_t cusolverDnCreate(cusolverDnHandle_t* created) {
  *created = reinterpret_cast<cusolverDnHandle_t>(&handle);
  return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t cusolverDnDpotrf_bufferSize(cusolverDnHandle_t, cublasFillMode_t, int, double*, int, int* size) {
  *size = 1;
  return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t cusolverDnDpotrf(cusolverDnHandle_t, cublasFillMode_t uplo, int n, double* a, int lda, double*, int,
                                  int* info) {
  if (uplo != CUBLAS_FILL_MODE_LOWER) return CUSOLVER_STATUS_INVALID_VALUE;
  *info = neargp::eigen_engine().factorize({a, n, n, lda}) ? 0 : 1;
  return CUSOLVER_STATUS_SUCCESS;
}

}  // extern "C"
