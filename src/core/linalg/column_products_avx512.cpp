// A unit of its own: the kernels for processors with AVX512. The standard headers come before the
// target is set: their inline functions are shared with the rest of the program and
// must not use instructions that some processors lack.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "simd/wide_sets.h"

#ifdef NEARGP_WIDE_SETS
#include <immintrin.h>

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx512f,avx512dq,avx512vl,avx2,fma"))), apply_to = function)
#else
#pragma GCC target("avx512f,avx512dq,avx512vl,avx2,fma")
#endif

#include "linalg/column_products.h"

namespace neargp {
extern const ColumnKernels column_kernels_avx512{
    gram_of_columns<8>,      products_with_column<8>,     add_combination<8>,       add_gram_product<4, 4, 8>,
    add_gram_product<16, 8>, add_paired_product<4, 4, 8>, add_paired_product<16, 8>};
}

#if defined(__clang__)
#pragma clang attribute pop
#endif
#endif
