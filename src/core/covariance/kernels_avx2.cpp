// A unit of its own: the kernels for processors with AVX2. The standard headers come before the
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
#pragma clang attribute push(__attribute__((target("avx2,fma"))), apply_to = function)
#else
#pragma GCC target("avx2,fma")
#endif

#define NEARGP_LANES 4
#include "covariance/kernels.h"
#include "covariance/matern_quadrature.h"

namespace neargp {
extern const CovarianceKernels covariance_kernels_avx2{fill_matern_table<4>, covariance_column<4>};
}

#if defined(__clang__)
#pragma clang attribute pop
#endif
#endif
