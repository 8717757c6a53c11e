// A unit of its own, since a pragma sets its target.
//
// Eigen's products for processors with AVX2. The AVX-512 of Eigen 3.3 is not reliable; see product_engine_avx512.cpp.
// The standard headers come before the target is set, as in conditional/cpu/kernels_avx2.cpp. Eigen needs macros that
// the compiler does not define for a target set by a pragma. They are defined by hand.
#include <algorithm>
#include <array>
#include <cassert>
#include <cerrno>
#include <climits>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <iosfwd>
#include <limits>
#include <sstream>
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
#ifndef __AVX2__
#define __AVX__ 1   // NOLINT(bugprone-reserved-identifier): the compiler's own names
#define __AVX2__ 1  // NOLINT(bugprone-reserved-identifier)
#define __FMA__ 1   // NOLINT(bugprone-reserved-identifier)
#endif

#define Eigen neargp_eigen_avx2
#include "linalg/product_engine_impl.h"

namespace neargp {
extern const ProductEngine product_engine_avx2{"Eigen, AVX2", add_product, add_square,
                                               solve_left,    solve_right, factorize};

Index summands_at_once(Index rows, Index columns, Index depth) { return blocked_depth(rows, columns, depth); }
}  // namespace neargp

#if defined(__clang__)
#pragma clang attribute pop
#endif
#endif
