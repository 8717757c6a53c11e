// Formulas that the kernels of the CPU share, for packs, with those of GPUs, for numbers. The files of conditional/cpu/
// derive them.
#pragma once

#include "base/hd.h"

namespace neargp {

// W_ij + W_ji of W = t u', the weight of the pair S_ij, S_ji in <W, dS> = t' dS u (conditional_gradient.h).
template <class Real>
NEARGP_HD inline Real pair_weight(const Real* t, const Real* u, int i, int j) {
  return t[i] * u[j] + t[j] * u[i];
}

// The expected information of one target in two parameters, v_a'v_b - v_a[k] v_b[k] / 2 (vecchia_sums.h).
template <class Real>
NEARGP_HD inline auto information_entry(Real product, Real va, Real vb) {
  return product - 0.5 * va * vb;
}

// An entry of W = (alpha alpha' - S^-1)/2, the derivative of a joint log density in S. See joint_sums.h.
template <class Real>
NEARGP_HD inline Real joint_weight(Real alpha_i, Real alpha_j, Real inverse) {
  return (alpha_i * alpha_j - inverse) / 2;
}

}  // namespace neargp
