#include "conditional/cpu/kernels.h"

#include "simd/instruction_set.h"
#include "simd/wide_sets.h"

namespace neargp {

extern const LocalKernels kernels_portable;
#ifdef NEARGP_WIDE_SETS
extern const LocalKernels kernels_avx2;
extern const LocalKernels kernels_avx512;
#endif

const LocalKernels& local_kernels() {
  switch (instruction_set()) {
#ifdef NEARGP_WIDE_SETS
    case InstructionSet::avx512: return kernels_avx512;
    case InstructionSet::avx2: return kernels_avx2;
#endif
    default: return kernels_portable;
  }
}

}  // namespace neargp
