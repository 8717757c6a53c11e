#include "cuda_device.h"

#include <cuda_runtime_api.h>

#include <atomic>
#include <cstdint>

#include "architectures.h"
#include "check.h"

namespace neargp {

namespace {

std::atomic<int> selected{0};

int attribute(cudaDeviceAttr which) {
  int value = 0;
  check_cuda(cudaDeviceGetAttribute(&value, which, selected), "say what it has");
  return value;
}

// Memory that is released goes to a pool first, as computations ask for the same pieces again and again. The pool gives
// back to the system what exceeds this.
constexpr std::uint64_t kept_bytes = std::uint64_t(1) << 30;

bool has_pool() { return attribute(cudaDevAttrMemoryPoolsSupported) != 0; }

cudaMemPool_t pool_of_device() {
  cudaMemPool_t pool;
  check_cuda(cudaDeviceGetDefaultMemPool(&pool, selected), "offer its memory");
  return pool;
}

}  // namespace

CudaDevice::Place CudaDevice::current() { return selected; }

void CudaDevice::select(Place place) {
  check_cuda(cudaSetDevice(place), "be opened");
  selected = place;
  if (!has_pool()) return;
  std::uint64_t kept = kept_bytes;
  check_cuda(cudaMemPoolSetAttribute(pool_of_device(), cudaMemPoolAttrReleaseThreshold, &kept), "offer its memory");
}

void CudaDevice::use(Place place) {
  if (place != selected)
    throw Error("A fit began on GPU " + std::to_string(place) + " and cannot go on while GPU " +
                std::to_string(selected.load()) + " is selected.");
  check_cuda(cudaSetDevice(place), "be used");
}

void CudaDevice::use_to_release(Place place) noexcept { cudaSetDevice(place); }

DeviceLimits CudaDevice::limits() {
  DeviceLimits limits;
  limits.multiprocessors = attribute(cudaDevAttrMultiProcessorCount);
  limits.threads_per_multiprocessor = attribute(cudaDevAttrMaxThreadsPerMultiProcessor);
  limits.blocks_per_multiprocessor = attribute(cudaDevAttrMaxBlocksPerMultiprocessor);
  limits.shared_per_block = attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin);
  limits.shared_per_multiprocessor = attribute(cudaDevAttrMaxSharedMemoryPerMultiprocessor);
  limits.static_shared = static_shared;
  return limits;
}

// The ratio of the rates in single and double precision is 2 on GPUs made for computations, 32 or 64 on others.
double CudaDevice::operations_per_clock() {
  const int in_single = single_precision_lanes(attribute(cudaDevAttrComputeCapabilityMajor),
                                               attribute(cudaDevAttrComputeCapabilityMinor));
  return double(in_single) / attribute(cudaDevAttrSingleToDoublePrecisionPerfRatio) *
         attribute(cudaDevAttrMultiProcessorCount);
}

Index CudaDevice::free_bytes() {
  std::size_t free = 0, total = 0;
  check_cuda(cudaMemGetInfo(&free, &total), "say how much memory is free");
  if (!has_pool()) return Index(free);
  std::uint64_t reserved = 0, used = 0;
  const cudaMemPool_t pool = pool_of_device();
  check_cuda(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReservedMemCurrent, &reserved), "say what is free");
  check_cuda(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used), "say what is free");
  return Index(free + (reserved - used));
}

void* CudaDevice::allocate(std::size_t bytes) {
  void* pointer = nullptr;
  const std::string what = "allocate " + std::to_string(bytes >> 20) + " MB of memory";
  check_cuda(has_pool() ? cudaMallocAsync(&pointer, bytes, nullptr) : cudaMalloc(&pointer, bytes), what.c_str());
  return pointer;
}

// Nothing can be done about an error here, and it is often the second one. The memory is that of the thread's device,
// which another may have been selected after (use_to_release()).
void CudaDevice::release(void* pointer) noexcept {
  int device = 0, pools = 0;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&pools, cudaDevAttrMemoryPoolsSupported, device);
  if (pools)
    cudaFreeAsync(pointer, nullptr);
  else
    cudaFree(pointer);
}

void CudaDevice::upload(void* to, const void* from, std::size_t bytes) {
  check_cuda(cudaMemcpy(to, from, bytes, cudaMemcpyHostToDevice), "receive data");
}

void CudaDevice::download(void* to, const void* from, std::size_t bytes) {
  check_cuda(cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToHost), "send results");
}

void CudaDevice::fill(void* pointer, int byte, std::size_t bytes) {
  check_cuda(cudaMemsetAsync(pointer, byte, bytes, nullptr), "clear memory");
}

void CudaDevice::synchronize() { check_cuda(cudaStreamSynchronize(nullptr), "finish a computation"); }

}  // namespace neargp
