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

#define NEARGP_LANES 8
#define NEARGP_BLOCK 4
#include "conditional/cpu/kernels_impl.h"

namespace neargp {
extern const LocalKernels kernels_avx512 = KernelsOf<8>::table();
}

#if defined(__clang__)
#pragma clang attribute pop
#endif
#endif
