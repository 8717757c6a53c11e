// Sum over targets of an objective of (residual, conditional variance) and its gradient. The
// adjoint takes one factorisation and two backward solves, whatever the number of parameters.
//
// A target with residual e = r_i - b'r_n and variance f adds g(e, f), with partial derivatives
// ebar and fbar. Let u = (-b, 1) and alpha = K^-1 r_n, with K the covariance matrix of the
// conditioning set. Then g changes with the covariance matrix S of the tile by
//
//   dg = t' dS u,   t = fbar u - ebar (alpha, 0).
//
// This follows from df = u' dS u and d(b'r_n) = (alpha, 0)' dS u. With z = L^-1 r and
// f = L_kk^2 the residual is e = z_k L_kk, and t'Su = fbar f.
//
// The objective is normal_log_density().
#pragma once

#include "conditional/cpu/assemble.h"
#include "conditional/cpu/contract.h"
#include "conditional/cpu/kernels.h"
#include "likelihoods/normal_log_density.h"

namespace neargp {

template <int Lanes>
class CpuKernel<ConditionalGradient, Lanes> {
 public:
  using V = typename Pack<Lanes>::Real;

  CpuKernel(const LocalView& view, const PreparedCovariance& covariance, const ConditionalGradient& operation,
            Arena& arena)
      : covariance_(covariance), size_(operation.sums(view.columns, covariance.parameters)),
        tile_(view, covariance, {true, true, 3}, arena), sums_(arena.take<V>(size_)),
        tile_gradient_(arena.take<V>(covariance.parameters)) {}

  Index run(Index first, Index last, double* sums) {
    return sum_tiles(covariance_, tile_, true, tile_.rows(), first, last, sums_, size_, sums, [&] { add_tile(); });
  }

 private:
  void add_tile() {
    const int k = tile_.k();
    const Triangle<Lanes>& factor = tile_.factor();
    V* z = tile_.vector(0);
    V* u = tile_.vector(1);
    V* t = tile_.vector(2);
    tile_.load_values(0, z);
    factor.solve_forward(&z, 1, tile_.rows());
    const V root_f = factor.row(k)[k];
    const V f = root_f * root_f;
    V ebar, fbar;
    const V value = normal_log_density(z[k] * root_f, f, ebar, fbar);
    sums_[0] += tile_.weight() * value;

    for (int m = 0; m < k; ++m) u[m] = -factor.row(k)[m];
    factor.solve_backward(u, k);
    u[k] = broadcast<V>(1.0);
    factor.solve_backward(z, k);
    for (int m = 0; m < k; ++m) t[m] = fbar * u[m] - ebar * z[m];
    t[k] = fbar;

    for (int a = 0; a < covariance_.parameters; ++a) tile_gradient_[a] = V{};
    contract(
        tile_, covariance_, [&](int i, int j) { return pair_weight(t, u, i, j); }, [&](int i) { return t[i] * u[i]; },
        fbar * f, tile_gradient_);
    for (int a = 0; a < covariance_.parameters; ++a) sums_[1 + a] += tile_.weight() * tile_gradient_[a];
  }

  const PreparedCovariance& covariance_;
  int size_;
  Tile<Lanes> tile_;
  V* sums_;
  V* tile_gradient_;
};

}  // namespace neargp
