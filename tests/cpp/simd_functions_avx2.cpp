#include <cmath>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

#include "simd/wide_sets.h"

#ifdef NEARGP_WIDE_SETS
#include <immintrin.h>

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,fma"))), apply_to = function)
#else
#pragma GCC target("avx2,fma")
#endif

#define NEARGP_LANES 4
#include "simd_functions_impl.h"

extern const SimdFunctions simd_functions_avx2 = SimdFunctionsOf<4>::table("avx2");

#if defined(__clang__)
#pragma clang attribute pop
#endif
#endif
