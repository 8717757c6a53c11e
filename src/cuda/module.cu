// The module's entry point (conditional/gpu/module.h).
#include "conditional/gpu/module.h"

#include <cuda_runtime_api.h>

#include <vector>

#include "architectures.h"
#include "check.h"
#include "conditional/gpu/dense_table.h"
#include "conditional/gpu/device_backend.h"
#include "conditional/gpu/device_search.h"
#include "cuda_device.h"

namespace neargp {
namespace {

std::string version(int number) { return std::to_string(number / 1000) + "." + std::to_string(number % 1000 / 10); }

// Why CUDA finds no GPU, and what to do.
std::string explain(cudaError_t status) {
  int driver = 0, runtime = 0;
  cudaDriverGetVersion(&driver);
  cudaRuntimeGetVersion(&runtime);
  if (driver == 0) return "There is no NVIDIA driver on this machine. Where there is a GPU, install its driver.";
  if (driver < runtime)
    return "The NVIDIA driver is for CUDA " + version(driver) + " and this installation for " + version(runtime) +
           ". Update the driver, or install the package with an older CUDA toolkit.";
  return std::string("CUDA finds no GPU that it can use: ") + cudaGetErrorString(status) +
         ". See whether `nvidia-smi` finds one.";
}

// CUDA's numbers of the GPUs that can be used. Asks the driver and makes no context.
std::vector<int> usable_gpus(std::string& why_none) {
  int count = 0;
  const cudaError_t status = cudaGetDeviceCount(&count);
  if (status != cudaSuccess) {
    cudaGetLastError();
    why_none = explain(status);
    return {};
  }
  std::vector<int> usable;
  for (int device = 0; device < count; ++device) {
    int major = 0, minor = 0;
    cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device);
    cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device);
    if (has_code_for(major, minor, {__CUDA_ARCH_LIST__}))
      usable.push_back(device);
    else
      why_none = "There is a GPU of compute capability " + std::to_string(major) + "." + std::to_string(minor) +
                 ", for which this installation has no code. Install the package with NEARGP_CUDA_ARCHS=" +
                 std::to_string(10 * major + minor) + " in the environment.";
  }
  if (count == 0) why_none = "There is no NVIDIA GPU.";
  return usable;
}

int gpu_of(int device) {
  std::string why_none;
  const std::vector<int> usable = usable_gpus(why_none);
  if (usable.empty()) throw Error(why_none);
  if (device < 0 || device >= int(usable.size()))
    throw Error("There is no GPU of number " + std::to_string(device) + "; there are " + std::to_string(usable.size()) +
                ", counted from 0.");
  return usable[device];
}

int device_count(std::string& why_none) { return int(usable_gpus(why_none).size()); }

DeviceInfo describe(int device) {
  const int gpu = gpu_of(device);
  cudaDeviceProp properties;
  check_cuda(cudaGetDeviceProperties(&properties, gpu), "be described");
  DeviceInfo info;
  info.name = properties.name;
  info.architecture = std::to_string(properties.major) + "." + std::to_string(properties.minor);
  int driver = 0;
  check_cuda(cudaDriverGetVersion(&driver), "name its driver");
  info.driver = version(driver);
  int before = 0;
  check_cuda(cudaGetDevice(&before), "be described");
  check_cuda(cudaSetDevice(gpu), "be opened");
  std::size_t free = 0, total = 0;
  const cudaError_t status = cudaMemGetInfo(&free, &total);
  cudaSetDevice(before);
  check_cuda(status, "say how much memory is free");
  info.free_bytes = double(free);
  info.total_bytes = double(total);
  return info;
}

void select(int device) { CudaDevice::select(gpu_of(device)); }

int selected() { return CudaDevice::current(); }

constexpr Backend backend = DeviceBackend<CudaDevice>::table("cuda");
constexpr NeighborEngine search = DeviceSearch<CudaDevice>::engine("cuda");
const DenseDevice dense = DenseTable<CudaDevice>::table("cuda");
constexpr DeviceModule module{device_module_abi_version,
                              "cuda",
                              NEARGP_CUDA_BUILD,
                              device_count,
                              describe,
                              select,
                              selected,
                              &backend,
                              &search,
                              &dense};

}  // namespace
}  // namespace neargp

extern "C" const neargp::DeviceModule* neargp_device_module() { return &neargp::module; }
