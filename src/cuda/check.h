// Calls of CUDA that report trouble as an Error.
#pragma once

#include <cuda_runtime_api.h>

#include <string>

#include "base/error.h"

namespace neargp {

// Advice for the user, by the kind of trouble.
inline std::string cuda_remedy(cudaError_t status) {
  switch (status) {
    case cudaErrorMemoryAllocation:
      return " Close other programs on the GPU, use a smaller `k` or fewer inducing points, or compute with device = "
             "\"cpu\".";
    case cudaErrorInitializationError:
      return " A process that was forked from one that had used the GPU cannot use it: start processes afresh, for "
             "instance by parallel::makePSOCKcluster().";
    case cudaErrorNoKernelImageForDevice:
    case cudaErrorInvalidDeviceFunction:
      return " Install the package with NEARGP_CUDA_ARCHS set to this GPU's architecture.";
    default: return " Compute with device = \"cpu\", or start R anew and try again.";
  }
}

// `what` completes "The GPU could not ...".
inline void check_cuda(cudaError_t status, const char* what) {
  if (status == cudaSuccess) return;
  cudaGetLastError();  // an error that was reported is not to be met again
  throw Error(std::string("The GPU could not ") + what + ": " + cudaGetErrorString(status) + "." + cuda_remedy(status));
}

}  // namespace neargp
