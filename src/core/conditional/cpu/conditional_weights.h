// Kriging computes for each target the weights b, the conditional variance f of the noise-free
// field, and the weighted sums b'x_c of the columns.
//
// With an unknown local mean (ordinary kriging within the conditioning set) the weights
// are constrained to sum to one. Let h = K^-1 1, s = 1'h and d = (1 - 1'b) / s. Then
//
//   b <- b + d h,   f <- f + d^2 s.
//
// See Cressie (1993, eqs. 3.2.15 and 3.2.16).
//
// With a taper 1 = a_1 >= a_2 >= ... >= a_k >= 0 the prediction is a mean over j of the predictions from the first j
// neighbours. The j-th prediction gets the weight e_j = a_j - a_(j+1), where a_(k+1) = 0. Let L be the factor of K in
// the order of the neighbours, c the covariances with the target, w = L^-1 c and u = L^-1 1. The leading rows are the
// same for all j, so one factor gives all predictions. With v the target's variance and products by element,
//
//   b = L^-T (a w),   f = v - sum of a_m w_m^2.
//
// For an unknown local mean let g_j = 1 - sum of w_m u_m and s_j = sum of u_m^2, both over m <= j. Let h_m be the sum
// over j >= m of e_j g_j / s_j. Then
//
//   b = L^-T (a w + h u),   f = v - sum of a_m w_m^2 + sum of e_j g_j^2 / s_j.
//
// The mean of the variances is f. It is at least the variance of the mean prediction: a variance is convex in b.
#pragma once

#include <algorithm>
#include <cmath>

#include "conditional/cpu/assemble.h"
#include "conditional/cpu/kernels.h"

namespace neargp {

template <int Lanes>
class CpuKernel<ConditionalWeights, Lanes> {
 public:
  using V = typename Pack<Lanes>::Real;

  CpuKernel(const LocalView& view, const PreparedCovariance& covariance, const ConditionalWeights& operation,
            Arena& arena)
      : covariance_(covariance), columns_(view.columns), values_(view.values), operation_(operation),
        tile_(view, covariance, {false, false, 4}, arena) {}

  Index run(Index first, Index last, double*) {
    return for_each_tile(covariance_, tile_, false, tile_.k(), first, last, [&] { write_tile(); });
  }

 private:
  // The factor excludes the target's own row: at a datum without noise f is zero, which is no failure.
  void write_tile() {
    const int k = tile_.k();
    const Triangle<Lanes>& factor = tile_.factor();
    V* b = tile_.vector(0);
    for (int m = 0; m < k; ++m) b[m] = factor.row(k)[m];
    V f = factor.row(k)[k];
    factor.solve_forward(&b, 1, k);
    if (operation_.taper) {
      smooth_kriging(b, f);
    } else {
      f = larger(f - dot(b, b, k), V{});
      factor.solve_backward(b, k);
      if (operation_.local_mean) constrain(b, f);
    }

    for (int lane = 0; lane < Lanes; ++lane) {
      const Index target = tile_.target(lane);
      if (get_lane(tile_.weight(), lane) == 0.0) continue;
      operation_.variance[target] = get_lane(f, lane);
      if (operation_.weights)
        for (int m = 0; m < k; ++m) operation_.weights[target * k + m] = get_lane(b[m], lane);
      write_weighted(target, lane, b);
    }
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

  // Turns w into b, and the target's variance into f.
  void smooth_kriging(V* b, V& f) {
    const int k = tile_.k();
    V* a = tile_.vector(2);
    for (int m = 0; m < k; ++m)
      for (int lane = 0; lane < Lanes; ++lane) set_lane(a[m], lane, operation_.taper[tile_.target(lane) * k + m]);
    V explained = V{};
    for (int m = 0; m < k; ++m) explained += a[m] * b[m] * b[m];
    f = larger(f - explained, V{});
    if (operation_.local_mean) {
      add_local_means(a, b, f);
    } else {
      for (int m = 0; m < k; ++m) b[m] *= a[m];
    }
    tile_.factor().solve_backward(b, k);
  }

  void add_local_means(const V* a, V* b, V& f) {
    const int k = tile_.k();
    V* u = tile_.vector(1);
    V* h = tile_.vector(3);
    for (int m = 0; m < k; ++m) u[m] = tile_.mask()[m];
    tile_.factor().solve_forward(&u, 1, k);
    V s = V{}, lacking = V{} + 1.0;
    for (int j = 0; j < k; ++j) {
      s += u[j] * u[j];
      lacking -= b[j] * u[j];
      h[j] = (j + 1 < k ? a[j] - a[j + 1] : a[j]) * lacking / s;
      f += lacking * h[j];
    }
    V later = V{};
    for (int m = k - 1; m >= 0; --m) {
      later += h[m];
      b[m] = a[m] * b[m] + later * u[m];
    }
  }

  // Goes by datum: the columns of a datum lie side by side, and there may be a thousand of them.
  void write_weighted(Index target, int lane, const V* b) {
    double* sums = operation_.weighted + target * columns_;
    for (int c = 0; c < columns_; ++c) sums[c] = 0.0;
    for (int m = 0; m < tile_.k(); ++m) {
      const int datum = tile_.neighbor(m, lane);
      const double weight = get_lane(b[m], lane);
      if (datum < 0) {
        // without neighbours there is no local mean, and no sum
        if (std::isnan(weight)) std::fill_n(sums, columns_, weight);
        continue;
      }
      const double* x = values_ + Index(datum) * columns_;
      for (int c = 0; c < columns_; ++c) sums[c] += weight * x[c];
    }
  }

  const PreparedCovariance& covariance_;
  int columns_;
  const double* values_;
  const ConditionalWeights& operation_;
  Tile<Lanes> tile_;
};

}  // namespace neargp
