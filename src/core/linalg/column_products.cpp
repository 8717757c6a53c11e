#include "linalg/column_products.h"

#include "simd/instruction_set.h"
#include "simd/wide_sets.h"

namespace neargp {

extern const ColumnKernels column_kernels_portable;
#ifdef NEARGP_WIDE_SETS
extern const ColumnKernels column_kernels_avx2;
extern const ColumnKernels column_kernels_avx512;
#endif

const ColumnKernels& column_kernels() {
  switch (instruction_set()) {
#ifdef NEARGP_WIDE_SETS
    case InstructionSet::avx512: return column_kernels_avx512;
    case InstructionSet::avx2: return column_kernels_avx2;
#endif
    default: return column_kernels_portable;
  }
}

}  // namespace neargp
