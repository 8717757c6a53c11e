#include "covariance/kernels.h"

#include "simd/instruction_set.h"
#include "simd/wide_sets.h"

namespace neargp {

extern const CovarianceKernels covariance_kernels_portable;
#ifdef NEARGP_WIDE_SETS
extern const CovarianceKernels covariance_kernels_avx2;
extern const CovarianceKernels covariance_kernels_avx512;
#endif

const CovarianceKernels& covariance_kernels() {
  switch (instruction_set()) {
#ifdef NEARGP_WIDE_SETS
    case InstructionSet::avx512: return covariance_kernels_avx512;
    case InstructionSet::avx2: return covariance_kernels_avx2;
#endif
    default: return covariance_kernels_portable;
  }
}

}  // namespace neargp
