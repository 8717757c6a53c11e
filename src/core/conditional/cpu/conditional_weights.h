// Kriging: for each target the weights b, the conditional variance f of the noise-free
// field, and the weighted sums b'x_c of the columns.
//
// With an unknown local mean (ordinary kriging within the conditioning set) the weights
// are constrained to sum to one: with h = K^-1 1 and s = 1'h,
//
//   b <- b + h (1 - 1'b)/s,   f <- f + (1 - 1'b)^2 / s
//
// (Cressie 1993, eqs. 3.2.15 and 3.2.16).
#pragma once

#include "conditional/cpu/assemble.h"
#include "conditional/cpu/kernels.h"

namespace neargp {

template <int Lanes>
class CpuKernel<ConditionalWeights, Lanes> {
 public:
  using V = typename Pack<Lanes>::Real;

  CpuKernel(const LocalView& view, const PreparedCovariance& covariance, const ConditionalWeights& operation,
            Arena& arena)
      : covariance_(covariance), columns_(view.columns), operation_(operation),
        tile_(view, covariance, {false, false, 3}, arena) {}

  Index run(Index first, Index last, double*) {
    return for_each_tile(covariance_, tile_, false, tile_.k(), first, last, [&] { write_tile(); });
  }

 private:
  // The target's own row is left out of the factor: at a datum without noise f is zero, which is no failure.
  void write_tile() {
    const int k = tile_.k();
    const Triangle<Lanes>& factor = tile_.factor();
    V* b = tile_.vector(0);
    for (int m = 0; m < k; ++m) b[m] = factor.row(k)[m];
    V f = factor.row(k)[k];
    factor.solve_forward(&b, 1, k);
    f = larger(f - dot(b, b, k), V{});
    factor.solve_backward(b, k);
    if (operation_.local_mean) constrain(b, f);

    for (int lane = 0; lane < Lanes; ++lane) {
      const Index target = tile_.target(lane);
      if (get_lane(tile_.weight(), lane) == 0.0) continue;
      operation_.variance[target] = get_lane(f, lane);
      if (operation_.weights)
        for (int m = 0; m < k; ++m) operation_.weights[target * k + m] = get_lane(b[m], lane);
    }
    for (int c = 0; c < columns_; ++c) write_weighted(c, b);
  }

  void constrain(V* b, V& f) {
    const int k = tile_.k();
    V* h = tile_.vector(1);
    V sum = V{};
    for (int m = 0; m < k; ++m) h[m] = tile_.mask()[m];
    tile_.factor().solve_forward(&h, 1, k);
    const V s = dot(h, h, k);
    tile_.factor().solve_backward(h, k);
    for (int m = 0; m < k; ++m) sum += b[m];
    const V lacking = (1.0 - sum) / s;
    for (int m = 0; m < k; ++m) b[m] += lacking * h[m];
    f += lacking * (1.0 - sum);
  }

  void write_weighted(int c, const V* b) {
    V* x = tile_.vector(2);
    tile_.load_values(c, x);
    V sum = V{};
    for (int m = 0; m < tile_.k(); ++m) sum += b[m] * x[m];
    for (int lane = 0; lane < Lanes; ++lane)
      if (get_lane(tile_.weight(), lane) > 0.0)
        operation_.weighted[tile_.target(lane) * columns_ + c] = get_lane(sum, lane);
  }

  const PreparedCovariance& covariance_;
  int columns_;
  const ConditionalWeights& operation_;
  Tile<Lanes> tile_;
};

}  // namespace neargp
