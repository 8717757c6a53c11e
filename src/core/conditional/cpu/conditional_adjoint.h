// Gradient in the covariance parameters of any objective of the weights b and conditional
// variances f of all targets (those of conditional/cpu/conditional_weights.h without a local mean),
// given its partial derivatives in them. Of derivatives wbar_c in the weighted sums b'x_c it
// makes bbar = sum_c wbar_c x_c.
#pragma once

#include "conditional/conditional_output.h"
#include "conditional/cpu/adjoint_tile.h"
#include "conditional/cpu/assemble.h"

namespace neargp {

template <int Lanes>
class ConditionalAdjoint {
 public:
  using V = typename Pack<Lanes>::Real;

  static int outputs(const PreparedCovariance& covariance) { return covariance.parameters; }

  ConditionalAdjoint(const LocalView& view, const PreparedCovariance& covariance, Arena& arena)
      : covariance_(covariance),
        columns_(view.columns),
        tile_(view, covariance, {true, true, 3}, arena),
        gradient_(arena.take<V>(outputs(covariance))),
        sums_(arena.take<V>(outputs(covariance))) {}

  Index run(const ConditionalAdjointInput& input, Index first, Index last, double* out) {
    const int size = outputs(covariance_);
    for (int s = 0; s < size; ++s) sums_[s] = V{};
    const Index failed = for_each_tile(covariance_, tile_, true, tile_.k(), first, last,
                                       [&] { add_tile(input); });
    for (int s = 0; s < size; ++s) out[s] += sum_lanes(sums_[s]);
    return failed;
  }

 private:
  V load(const double* by_target, Index stride) const {
    V x = V{};
    for (int lane = 0; lane < Lanes; ++lane) set_lane(x, lane, by_target[tile_.target(lane) * stride]);
    return x;
  }

  void load_weights(const ConditionalAdjointInput& input, V* bbar) {
    const int k = tile_.k();
    if (input.weighted) return combine_columns(input.weighted, bbar);
    for (int m = 0; m < k; ++m) bbar[m] = tile_.mask()[m] * load(input.weights + m, k);
  }

  void combine_columns(const double* weighted, V* bbar) {
    const int k = tile_.k();
    V* x = tile_.vector(2);
    for (int m = 0; m < k; ++m) bbar[m] = V{};
    for (int c = 0; c < columns_; ++c) {
      const V wbar = load(weighted + c, columns_);
      tile_.load_values(c, x);
      for (int m = 0; m < k; ++m) bbar[m] += wbar * x[m];
    }
  }

  void add_tile(const ConditionalAdjointInput& input) {
    V* u = tile_.vector(0);
    V* t = tile_.vector(1);
    const V f = solve_contrast(tile_, u);
    const V fbar = load(input.variance, 1);
    load_weights(input, t);
    solve_adjoint(tile_, u, fbar, t);
    contract_adjoint(tile_, covariance_, u, t, fbar * f, gradient_, sums_);
    if (input.noise) write_noise(input.noise, u, t);
  }

  // A noise variance is an entry of the diagonal of S, so that t' dS u = t_m u_m for each.
  void write_noise(double* noise, const V* u, const V* t) const {
    const int k = tile_.k();
    for (int lane = 0; lane < Lanes; ++lane) {
      if (get_lane(tile_.weight(), lane) == 0.0) continue;
      double* row = noise + tile_.target(lane) * k;
      for (int m = 0; m < k; ++m) row[m] = get_lane(t[m], lane) * get_lane(u[m], lane);
    }
  }

  const PreparedCovariance& covariance_;
  int columns_;
  Tile<Lanes> tile_;
  V* gradient_;
  V* sums_;
};

}  // namespace neargp
