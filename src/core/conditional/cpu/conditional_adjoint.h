// Gradient in the covariance parameters of any objective of the weights b and conditional variances f of all targets,
// given its partial derivatives in them. The weights and variances are those of conditional/cpu/conditional_weights.h
// without a local mean. Derivatives wbar_c in the weighted sums b'x_c are turned into bbar = sum_c wbar_c x_c.
#pragma once

#include "conditional/cpu/adjoint_tile.h"
#include "conditional/cpu/assemble.h"
#include "conditional/cpu/kernels.h"

namespace neargp {

template <int Lanes>
class CpuKernel<ConditionalAdjoint, Lanes> {
 public:
  using V = typename Pack<Lanes>::Real;

  CpuKernel(const LocalView& view, const PreparedCovariance& covariance, const ConditionalAdjoint& operation,
            Arena& arena)
      : covariance_(covariance), columns_(view.columns), operation_(operation),
        tile_(view, covariance, {true, true, 3}, arena), gradient_(arena.take<V>(covariance.parameters)),
        sums_(arena.take<V>(covariance.parameters)) {}

  Index run(Index first, Index last, double* sums) {
    return sum_tiles(covariance_, tile_, true, tile_.k(), first, last, sums_, covariance_.parameters, sums,
                     [&] { add_tile(); });
  }

 private:
  V load(const double* by_target, Index stride) const {
    V x = V{};
    for (int lane = 0; lane < Lanes; ++lane) set_lane(x, lane, by_target[tile_.target(lane) * stride]);
    return x;
  }

  void load_weights(V* bbar) {
    const int k = tile_.k();
    if (operation_.weighted) return combine_columns(bbar);
    for (int m = 0; m < k; ++m) bbar[m] = tile_.mask()[m] * load(operation_.weights + m, k);
  }

  void combine_columns(V* bbar) {
    const int k = tile_.k();
    V* x = tile_.vector(2);
    for (int m = 0; m < k; ++m) bbar[m] = V{};
    for (int c = 0; c < columns_; ++c) {
      const V wbar = load(operation_.weighted + c, columns_);
      tile_.load_values(c, x);
      for (int m = 0; m < k; ++m) bbar[m] += wbar * x[m];
    }
  }

  void add_tile() {
    V* u = tile_.vector(0);
    V* t = tile_.vector(1);
    const V f = solve_contrast(tile_, u);
    const V fbar = load(operation_.variance, 1);
    load_weights(t);
    solve_adjoint(tile_, u, fbar, t);
    contract_adjoint(tile_, covariance_, u, t, fbar * f, gradient_, sums_);
    if (operation_.noise) write_noise(u, t);
  }

  // A noise variance is an entry of the diagonal of S, so that t' dS u = t_m u_m for each.
  void write_noise(const V* u, const V* t) const {
    const int k = tile_.k();
    for (int lane = 0; lane < Lanes; ++lane) {
      if (get_lane(tile_.weight(), lane) == 0.0) continue;
      double* row = operation_.noise + tile_.target(lane) * k;
      for (int m = 0; m < k; ++m) row[m] = get_lane(t[m], lane) * get_lane(u[m], lane);
    }
  }

  const PreparedCovariance& covariance_;
  int columns_;
  const ConditionalAdjoint& operation_;
  Tile<Lanes> tile_;
  V* gradient_;
  V* sums_;
};

}  // namespace neargp
