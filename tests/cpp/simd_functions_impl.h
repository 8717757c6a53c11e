// Included once by each instruction set's unit, after NEARGP_LANES and the target are set.
#pragma once

#include <cstring>

#include "simd/simd.h"
#include "simd_functions.h"

template <int Lanes>
struct SimdFunctionsOf {
  using V = typename neargp::Pack<Lanes>::Real;

  template <V function(V)>
  static void apply(const double* x, double* y) {
    V pack;
    std::memcpy(&pack, x, sizeof pack);
    pack = function(pack);
    std::memcpy(y, &pack, sizeof pack);
  }

  template <V function(V, V)>
  static void apply_to_two(const double* a, const double* b, double* y) {
    V first, second;
    std::memcpy(&first, a, sizeof first);
    std::memcpy(&second, b, sizeof second);
    const V result = function(first, second);
    std::memcpy(y, &result, sizeof result);
  }

  static constexpr SimdFunctions table(const char* name) {
    return {name,
            Lanes,
            apply<neargp::simd_exp<V>>,
            apply<neargp::simd_log<V>>,
            apply<neargp::simd_sqrt<V>>,
            apply_to_two<neargp::larger<V>>,
            apply_to_two<neargp::smaller<V>>};
  }
};
