#include "linalg/column_products.h"

#include "simd/instruction_set.h"

namespace neargp {

extern const ColumnKernels column_kernels_portable;
#if defined(__x86_64__)
extern const ColumnKernels column_kernels_avx2;
extern const ColumnKernels column_kernels_avx512;
#endif

const ColumnKernels& column_kernels() {
  switch (instruction_set()) {
#if defined(__x86_64__)
    case InstructionSet::avx512: return column_kernels_avx512;
    case InstructionSet::avx2: return column_kernels_avx2;
#endif
    default: return column_kernels_portable;
  }
}

}  // namespace neargp
