#include "likelihoods/kernels.h"

#include <cstring>

#include "conditional/cpu/kernels.h"

namespace neargp {

extern const LikelihoodKernels likelihood_kernels_portable;
#if defined(__x86_64__)
extern const LikelihoodKernels likelihood_kernels_avx2;
extern const LikelihoodKernels likelihood_kernels_avx512;
#endif

const LikelihoodKernels& likelihood_kernels() {
  const char* name = local_kernels().name;
#if defined(__x86_64__)
  for (const LikelihoodKernels* kernels : {&likelihood_kernels_avx512, &likelihood_kernels_avx2})
    if (std::strcmp(kernels->name, name) == 0) return *kernels;
#endif
  return likelihood_kernels_portable;
}

}  // namespace neargp
