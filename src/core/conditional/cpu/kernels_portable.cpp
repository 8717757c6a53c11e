// A unit of its own, since the number of lanes is a macro: the kernels for whatever the compiler targets by default,
// SSE2 on x86-64 and NEON on 64-bit ARM.
#define NEARGP_LANES 2
#define NEARGP_BLOCK 3
#include "conditional/cpu/kernels_impl.h"

namespace neargp {
extern const LocalKernels kernels_portable = KernelsOf<2>::table();
}
