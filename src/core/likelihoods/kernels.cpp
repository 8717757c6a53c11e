#include "likelihoods/kernels.h"

#include "simd/instruction_set.h"
#include "simd/wide_sets.h"

namespace neargp {

extern const LikelihoodKernels likelihood_kernels_portable;
#ifdef NEARGP_WIDE_SETS
extern const LikelihoodKernels likelihood_kernels_avx2;
extern const LikelihoodKernels likelihood_kernels_avx512;
#endif

const LikelihoodKernels& likelihood_kernels() {
  switch (instruction_set()) {
#ifdef NEARGP_WIDE_SETS
    case InstructionSet::avx512: return likelihood_kernels_avx512;
    case InstructionSet::avx2: return likelihood_kernels_avx2;
#endif
    default: return likelihood_kernels_portable;
  }
}

}  // namespace neargp
