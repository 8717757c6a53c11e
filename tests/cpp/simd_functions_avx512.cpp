#include <cmath>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

#include "simd/wide_sets.h"

#ifdef NEARGP_WIDE_SETS
#include <immintrin.h>

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx512f,avx512dq,avx512vl,avx2,fma"))), apply_to = function)
#else
#pragma GCC target("avx512f,avx512dq,avx512vl,avx2,fma")
#endif

#define NEARGP_LANES 8
#include "simd_functions_impl.h"

extern const SimdFunctions simd_functions_avx512 = SimdFunctionsOf<8>::table("avx512");

#if defined(__clang__)
#pragma clang attribute pop
#endif
#endif
