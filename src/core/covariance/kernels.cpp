#include "covariance/kernels.h"

#include "simd/instruction_set.h"

namespace neargp {

extern const CovarianceKernels covariance_kernels_portable;
#if defined(__x86_64__)
extern const CovarianceKernels covariance_kernels_avx2;
extern const CovarianceKernels covariance_kernels_avx512;
#endif

const CovarianceKernels& covariance_kernels() {
  switch (instruction_set()) {
#if defined(__x86_64__)
    case InstructionSet::avx512: return covariance_kernels_avx512;
    case InstructionSet::avx2: return covariance_kernels_avx2;
#endif
    default: return covariance_kernels_portable;
  }
}

}  // namespace neargp
