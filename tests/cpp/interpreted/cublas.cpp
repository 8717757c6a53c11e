// The part of cuBLAS and cuSOLVER that the module (src/cuda) uses, written with Eigen for the interpreted GPU. It is
// linked in place of the libraries. The memory of that GPU is the host's. Operands must lie in one allocation and must
// have been written, as memcheck and initcheck require for kernels.
#include <cublas_v2.h>
#include <cusolverDn.h>

#include <algorithm>
#include <limits>

#include "gpu.h"
#include "linalg/product_engine.h"

namespace {

using neargp::Block;
using neargp::ConstBlock;

int handle;  // all that there is behind one

ConstBlock operand(const double* data, int rows, int columns, int stride, cublasOperation_t operation) {
  const bool transposed = operation == CUBLAS_OP_T;
  return {data, transposed ? columns : rows, transposed ? rows : columns, stride, transposed};
}

enum class Part { all, lower };

// Whether columns of `rows` numbers, or only their part in the lower triangle, lie in one allocation and were written.
bool is_written(const double* data, int rows, int columns, int stride, Part part = Part::all) {
  for (int j = 0; j < columns; ++j) {
    const int first = part == Part::lower ? j : 0;
    const auto begin = reinterpret_cast<std::uint64_t>(data + std::ptrdiff_t(j) * stride + first);
    const std::uint64_t bytes = std::uint64_t(rows - first) * sizeof(double);
    ptx::Region* region = ptx::gpu().memory.find(begin);
    if (!region || !region->contains(begin, bytes) || region->first_unwritten(begin, bytes) != begin + bytes)
      return false;
  }
  return true;
}

bool is_written(const double* data, int rows, int columns, int stride, cublasOperation_t operation) {
  const bool transposed = operation == CUBLAS_OP_T;
  return is_written(data, transposed ? columns : rows, transposed ? rows : columns, stride);
}

// Whether addresses of matrices lie on the GPU.
template <class T>
bool are_written(T* const addresses[], int count) {
  const auto begin = reinterpret_cast<std::uint64_t>(addresses), bytes = count * sizeof(T*);
  ptx::Region* region = ptx::gpu().memory.find(begin);
  return region && region->contains(begin, bytes) && region->first_unwritten(begin, bytes) == begin + bytes;
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
  if (!is_written(a, m, k, lda, a_operation) || !is_written(b, k, n, ldb, b_operation) || !is_written(c, m, n, ldc))
    return CUBLAS_STATUS_EXECUTION_FAILED;
  neargp::eigen_engine().add_product(*alpha, operand(a, m, k, lda, a_operation), operand(b, k, n, ldb, b_operation),
                                     {c, m, n, ldc});
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasDsyrk_v2(cublasHandle_t, cublasFillMode_t uplo, cublasOperation_t operation, int n, int k,
                              const double* alpha, const double* a, int lda, const double* beta, double* c, int ldc) {
  if (uplo != CUBLAS_FILL_MODE_LOWER || *beta != 1.0) return CUBLAS_STATUS_NOT_SUPPORTED;
  if (!is_written(a, n, k, lda, operation) || !is_written(c, n, n, ldc, Part::lower))
    return CUBLAS_STATUS_EXECUTION_FAILED;
  neargp::eigen_engine().add_square(*alpha, operand(a, n, k, lda, operation), {c, n, n, ldc});
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasDtrsm_v2(cublasHandle_t, cublasSideMode_t side, cublasFillMode_t uplo, cublasOperation_t operation,
                              cublasDiagType_t diagonal, int m, int n, const double* alpha, const double* a, int lda,
                              double* b, int ldb) {
  if (uplo != CUBLAS_FILL_MODE_LOWER || diagonal != CUBLAS_DIAG_NON_UNIT || *alpha != 1.0)
    return CUBLAS_STATUS_NOT_SUPPORTED;
  const int size = side == CUBLAS_SIDE_LEFT ? m : n;
  if (!is_written(a, size, size, lda, Part::lower) || !is_written(b, m, n, ldb)) return CUBLAS_STATUS_EXECUTION_FAILED;
  const ConstBlock lower = operand(a, size, size, lda, operation);
  const Block x{b, m, n, ldb};
  side == CUBLAS_SIDE_LEFT ? neargp::eigen_engine().solve_left(lower, x) : neargp::eigen_engine().solve_right(lower, x);
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasDgemmStridedBatched(cublasHandle_t handle, cublasOperation_t a_operation,
                                         cublasOperation_t b_operation, int m, int n, int k, const double* alpha,
                                         const double* a, int lda, long long a_step, const double* b, int ldb,
                                         long long b_step, const double* beta, double* c, int ldc, long long c_step,
                                         int count) {
  for (int w = 0; w < count; ++w) {
    const cublasStatus_t status = cublasDgemm_v2(handle, a_operation, b_operation, m, n, k, alpha, a + w * a_step, lda,
                                                 b + w * b_step, ldb, beta, c + w * c_step, ldc);
    if (status != CUBLAS_STATUS_SUCCESS) return status;
  }
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasDtrsmBatched(cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t uplo,
                                  cublasOperation_t operation, cublasDiagType_t diagonal, int m, int n,
                                  const double* alpha, const double* const a[], int lda, double* const b[], int ldb,
                                  int count) {
  if (!are_written(a, count) || !are_written(b, count)) return CUBLAS_STATUS_EXECUTION_FAILED;
  for (int w = 0; w < count; ++w) {
    const cublasStatus_t status =
        cublasDtrsm_v2(handle, side, uplo, operation, diagonal, m, n, alpha, a[w], lda, b[w], ldb);
    if (status != CUBLAS_STATUS_SUCCESS) return status;
  }
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
  const auto place = reinterpret_cast<std::uint64_t>(info);
  ptx::Region* region = ptx::gpu().memory.find(place);
  if (!is_written(a, n, n, lda, Part::lower) || !region) return CUSOLVER_STATUS_EXECUTION_FAILED;
  *info = neargp::eigen_engine().factorize({a, n, n, lda}) ? 0 : 1;
  region->mark_written(place, sizeof *info);
  return CUSOLVER_STATUS_SUCCESS;
}

cusolverStatus_t cusolverDnDpotrfBatched(cusolverDnHandle_t handle, cublasFillMode_t uplo, int n, double* a[], int lda,
                                         int* info, int count) {
  if (!are_written(a, count)) return CUSOLVER_STATUS_EXECUTION_FAILED;
  for (int w = 0; w < count; ++w) {
    const cusolverStatus_t status = cusolverDnDpotrf(handle, uplo, n, a[w], lda, nullptr, 0, info + w);
    if (status != CUSOLVER_STATUS_SUCCESS) return status;
    // the other triangle is where cuSOLVER works, by its documentation
    for (int j = 1; j < n; ++j)
      std::fill_n(a[w] + std::ptrdiff_t(j) * lda, j, std::numeric_limits<double>::quiet_NaN());
  }
  return CUSOLVER_STATUS_SUCCESS;
}

}  // extern "C"
