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
#include "covariance/kernels.h"
#include "covariance/matern_quadrature.h"

namespace neargp {
extern const CovarianceKernels covariance_kernels_avx512{fill_matern_table<8>, covariance_column<8>};
}

#if defined(__clang__)
#pragma clang attribute pop
#endif
#endif
