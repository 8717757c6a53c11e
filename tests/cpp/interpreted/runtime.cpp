// The part of CUDA's run-time library that the module (src/cuda) uses, for the interpreted GPU. It is linked in place
// of the library. Kernels come from the PTX files of the folder INTERPRETED_PTX_FOLDER. Errors of a kernel are found
// when it is launched, so the launch reports them. It also prints them as text for people.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>

#include "fault.h"
#include "gpu.h"
#include "launch.h"
#include "parse.h"

namespace ptx {

Gpu& gpu() {
  static Gpu gpu;
  return gpu;
}

namespace {

std::string last_fault;
cudaError_t last_error = cudaSuccess;

cudaError_t report(cudaError_t error) {
  if (error != cudaSuccess) last_error = error;
  return error;
}

cudaError_t report_fault(const std::string& fault) {
  last_fault = fault;
  std::fprintf(stderr, "%s\n", fault.c_str());
  return report(cudaErrorLaunchFailure);
}

std::map<std::string, KernelText> texts_in_folder(const std::string& folder) {
  std::map<std::string, KernelText> texts;
  for (const auto& file : std::filesystem::directory_iterator(folder)) {
    if (file.path().extension() != ".ptx") continue;
    std::stringstream content;
    content << std::ifstream(file.path()).rdbuf();
    texts.merge(kernels_in(content.str()));
  }
  return texts;
}

// Kernels that the module has registered, by the host's functions that stand for them.
struct Function {
  std::string name;
  std::optional<Kernel> kernel;
  std::int64_t dynamic_shared = 48 << 10;  // that it may be launched with

  const Kernel& decoded() {
    static const std::map<std::string, KernelText> texts = texts_in_folder(INTERPRETED_PTX_FOLDER);
    if (kernel) return *kernel;
    const auto found = texts.find(name);
    if (found == texts.end()) throw Fault("There is no PTX of " + name + ".");
    return kernel.emplace(decode(name, found->second));
  }
};

std::map<const void*, Function>& functions() {
  static std::map<const void*, Function> functions;
  return functions;
}

std::vector<std::vector<unsigned char>> copies_of(const Kernel& kernel, const void* const* arguments) {
  std::vector<std::vector<unsigned char>> copies;
  for (std::size_t p = 0; p < kernel.parameter_bytes.size(); ++p) {
    const auto* bytes = static_cast<const unsigned char*>(arguments[p]);
    copies.emplace_back(bytes, bytes + kernel.parameter_bytes[p]);
  }
  return copies;
}

cudaError_t launch(Function& function, dim3 grid, dim3 block, const void* const* arguments,
                   std::size_t dynamic_shared) {
  const Kernel& kernel = function.decoded();
  if (int(block.x) > kernel.most_threads || block.y * block.z * grid.y * grid.z != 1)
    return cudaErrorInvalidConfiguration;
  if (std::int64_t(dynamic_shared) > function.dynamic_shared) return cudaErrorInvalidValue;
  static std::uint32_t number = 0;
  ++gpu().launches;
  gpu().launched.insert(kernel.name);
  const LaunchSize size{grid.x, block.x, dynamic_shared};
  if (gpu().is_counting) gpu().counted.push_back({kernel.name, size, copies_of(kernel, arguments), {}});
  run_kernel(kernel, arguments, size, ++number, gpu().memory,
             gpu().is_counting ? &gpu().counted.back().counts : nullptr);
  return cudaSuccess;
}

// Whether the host may touch `bytes` of the device's memory.
Region* region_for_host(const void* pointer, std::size_t bytes) {
  const auto address = reinterpret_cast<std::uint64_t>(pointer);
  Region* region = gpu().memory.find(address);
  return region && region->contains(address, bytes) ? region : nullptr;
}

struct Configuration {
  dim3 grid, block;
  std::size_t shared;
  cudaStream_t stream;
};
Configuration next_launch;

}  // namespace

}  // namespace ptx

using namespace ptx;

extern "C" {

void** __cudaRegisterFatBinary(void*) {
  static void* handle = nullptr;
  return &handle;
}
void __cudaRegisterFatBinaryEnd(void**) {}
void __cudaUnregisterFatBinary(void**) {}
void __cudaRegisterFunction(void**, const char* host, char*, const char* name, int, uint3*, uint3*, dim3*, dim3*,
                            int*) {
  functions()[host].name = name;
}

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, std::size_t shared, CUstream_st* stream) {
  next_launch = {grid, block, shared, stream};
  return 0;
}
cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block, std::size_t* shared, void* stream) {
  *grid = next_launch.grid;
  *block = next_launch.block;
  *shared = next_launch.shared;
  *static_cast<cudaStream_t*>(stream) = next_launch.stream;
  return cudaSuccess;
}

cudaError_t cudaLaunchKernel(const void* host, dim3 grid, dim3 block, void** arguments, std::size_t shared,
                             cudaStream_t) {
  try {
    const auto found = functions().find(host);
    return report(found == functions().end() ? cudaErrorInvalidDeviceFunction
                                             : launch(found->second, grid, block, arguments, shared));
  } catch (const Fault& fault) {
    return report_fault(fault.what());
  }
}

// As nvcc has it from CUDA 13 on: the host's function stands for the kernel.
cudaError_t __cudaGetKernel(cudaKernel_t* kernel, const void* host) {
  *kernel = reinterpret_cast<cudaKernel_t>(const_cast<void*>(host));
  return cudaSuccess;
}
cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void** arguments, std::size_t shared,
                               cudaStream_t stream) {
  return cudaLaunchKernel(kernel, grid, block, arguments, shared, stream);
}

cudaError_t cudaFuncSetAttribute(const void* host, cudaFuncAttribute attribute, int value) {
  try {
    Function& function = functions().at(host);
    if (attribute != cudaFuncAttributeMaxDynamicSharedMemorySize) return cudaSuccess;
    const auto own = std::int64_t(function.decoded().static_shared);
    if (value < 0 || own + value > gpu().limits.shared_per_block) return report(cudaErrorInvalidValue);
    function.dynamic_shared = value;
    return cudaSuccess;
  } catch (const std::exception& error) {
    return report_fault(error.what());
  }
}

cudaError_t cudaMalloc(void** pointer, std::size_t bytes) {
  const bool fits = std::int64_t(gpu().memory.used() + bytes) <= gpu().total_bytes;
  if (gpu().allocations++ == gpu().fail_allocation || !fits) return report(cudaErrorMemoryAllocation);
  *pointer = gpu().memory.allocate(bytes);
  return report(*pointer ? cudaSuccess : cudaErrorMemoryAllocation);
}
cudaError_t cudaMallocAsync(void** pointer, std::size_t bytes, cudaStream_t) { return cudaMalloc(pointer, bytes); }
cudaError_t cudaFree(void* pointer) {
  return report(gpu().memory.release(pointer) ? cudaSuccess : cudaErrorInvalidValue);
}
cudaError_t cudaFreeAsync(void* pointer, cudaStream_t) { return cudaFree(pointer); }

cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
  const bool up = kind == cudaMemcpyHostToDevice;
  const void* on_device = up ? to : from;
  Region* region = region_for_host(on_device, bytes);
  if (!region || (!up && kind != cudaMemcpyDeviceToHost)) return report(cudaErrorInvalidValue);
  const auto address = reinterpret_cast<std::uint64_t>(on_device);
  if (up)
    region->mark_written(address, bytes);
  else if (const std::uint64_t place = region->first_unwritten(address, bytes); place < address + bytes)
    return report_fault("The host gets byte " + std::to_string(place - region->begin) + " of " + region->name +
                        ", which nobody wrote.");
  (up ? gpu().uploaded_bytes : gpu().downloaded_bytes) += std::int64_t(bytes);
  std::memcpy(to, from, bytes);
  return cudaSuccess;
}

cudaError_t cudaMemsetAsync(void* pointer, int byte, std::size_t bytes, cudaStream_t) {
  Region* region = region_for_host(pointer, bytes);
  if (!region) return report(cudaErrorInvalidValue);
  region->mark_written(reinterpret_cast<std::uint64_t>(pointer), bytes);
  std::memset(pointer, byte, bytes);
  return cudaSuccess;
}

cudaError_t cudaMemGetInfo(std::size_t* free, std::size_t* total) {
  *total = std::size_t(gpu().total_bytes);
  *free = *total - gpu().memory.used();
  return cudaSuccess;
}

// The pool keeps nothing back.
cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* pool, int) {
  *pool = nullptr;
  return cudaSuccess;
}
cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t, cudaMemPoolAttr, void*) { return cudaSuccess; }
cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t, cudaMemPoolAttr, void* value) {
  *static_cast<std::uint64_t*>(value) = gpu().memory.used();
  return cudaSuccess;
}

cudaError_t cudaGetDeviceCount(int* count) {
  *count = 1;
  return cudaSuccess;
}
cudaError_t cudaGetDevice(int* device) {
  *device = 0;
  return cudaSuccess;
}
cudaError_t cudaSetDevice(int device) { return report(device == 0 ? cudaSuccess : cudaErrorInvalidDevice); }

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int) {
  switch (attribute) {
    case cudaDevAttrMultiProcessorCount: *value = gpu().limits.multiprocessors; break;
    case cudaDevAttrMaxThreadsPerMultiProcessor: *value = gpu().limits.threads_per_multiprocessor; break;
    case cudaDevAttrMaxBlocksPerMultiprocessor: *value = gpu().limits.blocks_per_multiprocessor; break;
    case cudaDevAttrMaxSharedMemoryPerBlockOptin: *value = int(gpu().limits.shared_per_block); break;
    case cudaDevAttrMaxSharedMemoryPerMultiprocessor: *value = int(gpu().limits.shared_per_multiprocessor); break;
    case cudaDevAttrSingleToDoublePrecisionPerfRatio: *value = 2; break;
    case cudaDevAttrMemoryPoolsSupported: *value = 1; break;
    case cudaDevAttrComputeCapabilityMajor: *value = 9; break;
    case cudaDevAttrComputeCapabilityMinor: *value = 0; break;
    default: return report(cudaErrorInvalidValue);
  }
  return cudaSuccess;
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int) {
  std::memset(properties, 0, sizeof *properties);
  std::strcpy(properties->name, "Interpreted GPU");
  properties->major = 9;
  return cudaSuccess;
}

cudaError_t cudaDriverGetVersion(int* version) {
  *version = CUDART_VERSION;
  return cudaSuccess;
}
cudaError_t cudaRuntimeGetVersion(int* version) { return cudaDriverGetVersion(version); }

cudaError_t cudaStreamSynchronize(cudaStream_t) { return cudaSuccess; }
cudaError_t cudaGetLastError() {
  const cudaError_t error = last_error;
  last_error = cudaSuccess;
  return error;
}

const char* cudaGetErrorString(cudaError_t error) {
  switch (error) {
    case cudaErrorLaunchFailure: return last_fault.c_str();
    case cudaErrorMemoryAllocation: return "out of memory";
    case cudaErrorInvalidValue: return "invalid argument";
    case cudaErrorInvalidConfiguration: return "invalid configuration argument";
    default: return "another error";
  }
}

}  // extern "C"
