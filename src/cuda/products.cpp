// The products of dense matrices, and of stacks of them, by cuBLAS and cuSOLVER, on the stream of all other work.
#include <cublas_v2.h>
#include <cusolverDn.h>

#include <algorithm>
#include <limits>
#include <map>
#include <vector>

#include "check.h"
#include "conditional/gpu/device_array.h"
#include "cuda_device.h"

namespace neargp {

namespace {

// `what` completes "The GPU could not ...".
void check_cublas(cublasStatus_t status, const char* what) {
  if (status == CUBLAS_STATUS_SUCCESS) return;
  if (status == CUBLAS_STATUS_ALLOC_FAILED) check_cuda(cudaErrorMemoryAllocation, what);
  throw Error(std::string("The GPU could not ") + what + ": cuBLAS says " + cublasGetStatusString(status) + "." +
              cuda_remedy(cudaErrorUnknown));
}

void check_cusolver(cusolverStatus_t status, const char* what) {
  if (status == CUSOLVER_STATUS_SUCCESS) return;
  if (status == CUSOLVER_STATUS_ALLOC_FAILED) check_cuda(cudaErrorMemoryAllocation, what);
  throw Error(std::string("The GPU could not ") + what + ": cuSOLVER reports status " + std::to_string(int(status)) +
              "." + cuda_remedy(cudaErrorUnknown));
}

// The libraries' own memory on a GPU, made on first use and kept until the process ends.
cublasHandle_t cublas() {
  static std::map<int, cublasHandle_t> handles;
  cublasHandle_t& handle = handles[CudaDevice::current()];
  if (!handle) check_cublas(cublasCreate(&handle), "open cuBLAS");
  return handle;
}

cusolverDnHandle_t cusolver() {
  static std::map<int, cusolverDnHandle_t> handles;
  cusolverDnHandle_t& handle = handles[CudaDevice::current()];
  if (!handle) check_cusolver(cusolverDnCreate(&handle), "open cuSOLVER");
  return handle;
}

int size(Index n) {
  if (n > std::numeric_limits<int>::max()) throw Error("A matrix has more rows or columns than cuBLAS can count.");
  return int(n);
}

template <class AnyBlock>
int leading(const AnyBlock& x) {
  return size(std::max({x.stride, x.rows, Index(1)}));
}

cublasOperation_t operation(const ConstBlock& x) { return x.transposed ? CUBLAS_OP_T : CUBLAS_OP_N; }

int columns_used(const ConstBlock& x) { return size(x.transposed ? x.rows : x.columns); }

constexpr double one = 1.0;

void add_product(double alpha, ConstBlock a, ConstBlock b, Block c) {
  check_cublas(cublasDgemm(cublas(), operation(a), operation(b), size(c.rows), size(c.columns), columns_used(a), &alpha,
                           a.data, leading(a), b.data, leading(b), &one, c.data, leading(c)),
               "multiply matrices");
}

void add_square(double alpha, ConstBlock a, Block c) {
  check_cublas(cublasDsyrk(cublas(), CUBLAS_FILL_MODE_LOWER, operation(a), size(c.rows), columns_used(a), &alpha,
                           a.data, leading(a), &one, c.data, leading(c)),
               "multiply a matrix with itself");
}

void solve(cublasSideMode_t side, ConstBlock lower, Block x) {
  check_cublas(cublasDtrsm(cublas(), side, CUBLAS_FILL_MODE_LOWER, operation(lower), CUBLAS_DIAG_NON_UNIT, size(x.rows),
                           size(x.columns), &one, lower.data, leading(lower), x.data, leading(x)),
               "solve triangular equations");
}

void solve_left(ConstBlock lower, Block x) { solve(CUBLAS_SIDE_LEFT, lower, x); }

void solve_right(ConstBlock lower, Block x) { solve(CUBLAS_SIDE_RIGHT, lower, x); }

bool factorize(Block s) {
  const char* what = "factorise a matrix";
  int work_size = 0, found = 0;
  check_cusolver(
      cusolverDnDpotrf_bufferSize(cusolver(), CUBLAS_FILL_MODE_LOWER, size(s.rows), s.data, leading(s), &work_size),
      what);
  DeviceArray<CudaDevice, double> work;
  DeviceArray<CudaDevice, int> info;
  work.reserve(std::max(work_size, 1));
  info.reserve(1);
  check_cusolver(cusolverDnDpotrf(cusolver(), CUBLAS_FILL_MODE_LOWER, size(s.rows), s.data, leading(s), work.data(),
                                  work_size, info.data()),
                 what);
  info.download(&found, 1);
  return found == 0;
}

void add_products(double alpha, ConstStack a, ConstStack b, Stack c) {
  const Block& to = c.first;
  check_cublas(
      cublasDgemmStridedBatched(cublas(), operation(a.first), operation(b.first), size(to.rows), size(to.columns),
                                columns_used(a.first), &alpha, a.first.data, leading(a.first), a.step, b.first.data,
                                leading(b.first), b.step, &one, to.data, leading(to), c.step, size(c.count)),
      "multiply stacks of matrices");
}

// Where the matrices of a stack begin, on the GPU.
template <class T>
DeviceArray<CudaDevice, T*> addresses(T* first, Index count, Index step) {
  std::vector<T*> begins;
  for (Index w = 0; w < count; ++w) begins.push_back(first + w * step);
  DeviceArray<CudaDevice, T*> result;
  result.upload(begins.data(), count);
  return result;
}

void solve_left_all(ConstStack lower, Stack x) {
  const auto factors = addresses(lower.first.data, x.count, lower.step);
  const auto columns = addresses(x.first.data, x.count, x.step);
  check_cublas(cublasDtrsmBatched(cublas(), CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_LOWER, operation(lower.first),
                                  CUBLAS_DIAG_NON_UNIT, size(x.first.rows), size(x.first.columns), &one, factors.data(),
                                  leading(lower.first), columns.data(), leading(x.first), size(x.count)),
               "solve stacks of triangular equations");
}

void factorize_all(Stack s, bool* regular) {
  const auto matrices = addresses(s.first.data, s.count, s.step);
  DeviceArray<CudaDevice, int> info;
  info.reserve(s.count);
  check_cusolver(cusolverDnDpotrfBatched(cusolver(), CUBLAS_FILL_MODE_LOWER, size(s.first.rows), matrices.data(),
                                         leading(s.first), info.data(), size(s.count)),
                 "factorise a stack of matrices");
  std::vector<int> found(static_cast<std::size_t>(s.count));
  info.download(found.data(), s.count);
  for (Index w = 0; w < s.count; ++w) regular[w] = found[std::size_t(w)] == 0;
}

constexpr ProductEngine engine{"cuBLAS", add_product, add_square, solve_left, solve_right, factorize};
constexpr StackEngine stack_engine{"cuBLAS", add_products, solve_left_all, factorize_all};

}  // namespace

const ProductEngine& CudaDevice::products() { return engine; }

const StackEngine& CudaDevice::stacked_products() { return stack_engine; }

}  // namespace neargp
