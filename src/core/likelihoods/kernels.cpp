#include "likelihoods/kernels.h"

#include "simd/instruction_set.h"

namespace neargp {

extern const LikelihoodKernels likelihood_kernels_portable;
#if defined(__x86_64__)
extern const LikelihoodKernels likelihood_kernels_avx2;
extern const LikelihoodKernels likelihood_kernels_avx512;
#endif

const LikelihoodKernels& likelihood_kernels() {
  switch (instruction_set()) {
#if defined(__x86_64__)
    case InstructionSet::avx512: return likelihood_kernels_avx512;
    case InstructionSet::avx2: return likelihood_kernels_avx2;
#endif
    default: return likelihood_kernels_portable;
  }
}

}  // namespace neargp
