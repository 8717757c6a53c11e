// The steps on one tile that make up every gradient by way of weights b and conditional
// variances f.
//
// Let S be the covariance matrix of a tile, K its part without the target, and u = (-b, 1). Then
//
//   df = u' dS u   and   bbar' db = (K^-1 bbar, 0)' dS u.
//
// An objective with partial derivatives bbar and fbar therefore changes with S by t' dS u, where
// t = fbar u + (K^-1 bbar, 0). Because S u = (0, f), the total contraction <t u', S> is fbar f.
// The derivative in the first variance follows from it.
#pragma once

#include "conditional/cpu/contract.h"

namespace neargp {

// Fills u = (-b, 1) and returns f, which rounding cannot make negative. The factor excludes the target's own row.
template <int Lanes>
typename Pack<Lanes>::Real solve_contrast(Tile<Lanes>& tile, typename Pack<Lanes>::Real* u) {
  using V = typename Pack<Lanes>::Real;
  const int k = tile.k();
  const Triangle<Lanes>& factor = tile.factor();
  for (int m = 0; m < k; ++m) u[m] = -factor.row(k)[m];
  V f = factor.row(k)[k];
  factor.solve_forward(&u, 1, k);
  f = larger(f - dot(u, u, k), V{});
  factor.solve_backward(u, k);
  u[k] = broadcast<V>(1.0);
  return f;
}

// Turns K^-1 bbar, the first k elements of `t`, into t = fbar u + (K^-1 bbar, 0).
template <class V>
void add_contrast(const V* u, V fbar, V* t, int k) {
  for (int m = 0; m < k; ++m) t[m] += fbar * u[m];
  t[k] = fbar;
}

// Turns bbar, the first k elements of `t`, into t = fbar u + (K^-1 bbar, 0).
template <int Lanes>
void solve_adjoint(Tile<Lanes>& tile, const typename Pack<Lanes>::Real* u, typename Pack<Lanes>::Real fbar,
                   typename Pack<Lanes>::Real* t) {
  const int k = tile.k();
  tile.factor().solve_forward(&t, 1, k);
  tile.factor().solve_backward(t, k);
  add_contrast(u, fbar, t, k);
}

// sums += <W, dS> for the covariance parameters. Weights and `total` are those of contract(); `gradient` is scratch.
template <int Lanes, class Weight, class Diagonal>
void contract_weights(Tile<Lanes>& tile, const PreparedCovariance& covariance, const Weight& weight,
                      const Diagonal& diagonal, typename Pack<Lanes>::Real total, typename Pack<Lanes>::Real* gradient,
                      typename Pack<Lanes>::Real* sums) {
  using V = typename Pack<Lanes>::Real;
  for (int a = 0; a < covariance.parameters; ++a) gradient[a] = V{};
  contract(tile, covariance, weight, diagonal, total, gradient);
  for (int a = 0; a < covariance.parameters; ++a) sums[a] += tile.weight() * gradient[a];
}

// sums += t' dS u. `total` is fbar f.
template <int Lanes>
void contract_adjoint(Tile<Lanes>& tile, const PreparedCovariance& covariance, const typename Pack<Lanes>::Real* u,
                      const typename Pack<Lanes>::Real* t, typename Pack<Lanes>::Real total,
                      typename Pack<Lanes>::Real* gradient, typename Pack<Lanes>::Real* sums) {
  contract_weights(
      tile, covariance, [&](int i, int j) { return pair_weight(t, u, i, j); }, [&](int i) { return t[i] * u[i]; },
      total, gradient, sums);
}

}  // namespace neargp
