// The kernels for the default target of the compiler, SSE2 on x86-64 and NEON on 64-bit ARM. They need a unit of their
// own, since the number of lanes is a macro.
#define NEARGP_LANES 2
#define NEARGP_BLOCK 3
#include "conditional/cpu/kernels_impl.h"

namespace neargp {
extern const LocalKernels kernels_portable = KernelsOf<2>::table();
}
