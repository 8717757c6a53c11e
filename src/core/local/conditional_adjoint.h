// Gradient in the covariance parameters of any objective of the weights b and conditional
// variances f of all targets (those of local/conditional_weights.h without a local mean),
// given its partial derivatives in them.
//
// With S the covariance matrix of a tile, K its part without the target and u = (-b, 1),
//
//   df = u' dS u   and   bbar' db = (K^-1 bbar, 0)' dS u,
//
// so an objective with partial derivatives bbar and fbar moves with S as t' dS u,
// t = fbar u + (K^-1 bbar, 0). Its total contraction <t u', S>, which gives the derivative
// in the first variance, is fbar f + bbar'(c - K b) = fbar f.
#pragma once

#include "local/assemble.h"
#include "local/conditional_output.h"
#include "local/contract.h"

namespace neargp {

template <int Lanes>
class ConditionalAdjoint {
 public:
  using V = typename Pack<Lanes>::Real;

  static int outputs(const PreparedCovariance& covariance) { return covariance.parameters; }

  ConditionalAdjoint(const LocalView& view, const PreparedCovariance& covariance, Arena& arena)
      : covariance_(covariance),
        tile_(view, covariance, {true, true, 2}, arena),
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
  void load(const ConditionalAdjointInput& input, V* bbar, V& fbar) const {
    const int k = tile_.k();
    for (int lane = 0; lane < Lanes; ++lane) {
      const double* row = input.weights + tile_.target(lane) * k;
      for (int m = 0; m < k; ++m) set_lane(bbar[m], lane, row[m]);
      set_lane(fbar, lane, input.variance[tile_.target(lane)]);
    }
    for (int m = 0; m < k; ++m) bbar[m] *= tile_.mask()[m];
  }

  // The target's own row is left out of the factor, as it is when the weights are computed.
  void add_tile(const ConditionalAdjointInput& input) {
    const int k = tile_.k();
    const Triangle<Lanes>& factor = tile_.factor();
    V* u = tile_.vector(0);
    V* t = tile_.vector(1);
    for (int m = 0; m < k; ++m) u[m] = -factor.row(k)[m];
    V f = factor.row(k)[k];
    factor.solve_forward(&u, 1, k);
    f -= dot(u, u, k);
    factor.solve_backward(u, k);
    u[k] = broadcast<V>(1.0);

    V fbar = V{};
    load(input, t, fbar);
    factor.solve_forward(&t, 1, k);
    factor.solve_backward(t, k);
    for (int m = 0; m < k; ++m) t[m] += fbar * u[m];
    t[k] = fbar;

    for (int a = 0; a < covariance_.parameters; ++a) gradient_[a] = V{};
    contract(
        tile_, covariance_, [&](int i, int j) { return t[i] * u[j] + t[j] * u[i]; },
        [&](int i) { return t[i] * u[i]; }, fbar * f, gradient_);
    for (int a = 0; a < covariance_.parameters; ++a) sums_[a] += tile_.weight() * gradient_[a];
  }

  const PreparedCovariance& covariance_;
  Tile<Lanes> tile_;
  V* gradient_;
  V* sums_;
};

}  // namespace neargp
