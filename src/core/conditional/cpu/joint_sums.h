// Sums over targets of the joint log density of a target and its conditioning set,
// divided by their number: MLL-k (Jankowiak and Pleiss 2022, eq. 15).
//
// With z_c = L^-1 x_c over the rows of a tile, log_det = 2 sum log L_ii and gram = sum z_c z_c'.
// The gradient is <W, dS> with W = (alpha alpha' - S^-1)/2 and alpha = L^-T z. The total is
// <W, S> = (z'z - rows)/2.
#pragma once

#include "conditional/cpu/assemble.h"
#include "conditional/cpu/contract.h"
#include "conditional/cpu/kernels.h"

namespace neargp {

template <int Lanes>
class CpuKernel<JointSums, Lanes> {
 public:
  using V = typename Pack<Lanes>::Real;

  CpuKernel(const LocalView& view, const PreparedCovariance& covariance, const JointSums& operation, Arena& arena)
      : covariance_(covariance), columns_(view.columns), gradient_(operation.gradient),
        size_(operation.sums(view.columns, covariance.parameters)),
        tile_(view, covariance, {gradient_, true, view.columns + (gradient_ ? 1 : 0)}, arena),
        sums_(arena.take<V>(size_)), solve_list_(arena.take<V*>(view.columns)),
        weights_(gradient_ ? arena.take<V>(triangle_size(view.k + 1)) : nullptr),
        tile_gradient_(arena.take<V>(covariance.parameters)) {}

  Index run(Index first, Index last, double* sums) {
    return sum_tiles(covariance_, tile_, gradient_, tile_.rows(), first, last, sums_, size_, sums, [&] { add_tile(); });
  }

 private:
  void add_tile() {
    const int rows = tile_.rows();
    for (int c = 0; c < columns_; ++c) {
      solve_list_[c] = tile_.vector(c);
      tile_.load_values(c, solve_list_[c]);
    }
    tile_.factor().solve_forward(solve_list_, columns_, rows);
    V count = V{};
    V log_det = V{};
    for (int i = 0; i < rows; ++i) {
      count += tile_.mask()[i];
      log_det += 2.0 * math::log(tile_.factor().row(i)[i]);
    }
    const V weight = tile_.weight() / count;
    if (gradient_) return add_gradient(weight, count, log_det);
    sums_[0] += weight * log_det;
    for (int i = 0; i < columns_; ++i)
      for (int j = 0; j <= i; ++j) sums_[1 + i * columns_ + j] += weight * dot(tile_.vector(i), tile_.vector(j), rows);
  }

  void add_gradient(V weight, V count, V log_det) {
    V* alpha = tile_.vector(0);
    const V square = dot(alpha, alpha, tile_.rows());
    sums_[0] += weight * -0.5 * (count * log_two_pi + log_det + square);
    tile_.factor().solve_backward(alpha, tile_.rows());
    fill_weights(alpha);
    for (int a = 0; a < covariance_.parameters; ++a) tile_gradient_[a] = V{};
    contract(
        tile_, covariance_, [&](int i, int j) { return 2.0 * weights_[triangle_size(i) + j]; },
        [&](int i) { return weights_[triangle_size(i) + i]; }, 0.5 * (square - count), tile_gradient_);
    for (int a = 0; a < covariance_.parameters; ++a) sums_[1 + a] += weight * tile_gradient_[a];
  }

  // The lower triangle of (alpha alpha' - S^-1)/2, a column of the inverse at a time.
  void fill_weights(const V* alpha) {
    const int rows = tile_.rows();
    V* column = tile_.vector(1);
    for (int j = 0; j < rows; ++j) {
      for (int i = 0; i < rows; ++i) column[i] = broadcast<V>(i == j ? 1.0 : 0.0);
      tile_.factor().solve_forward(&column, 1, rows);
      tile_.factor().solve_backward(column, rows);
      for (int i = j; i < rows; ++i) weights_[triangle_size(i) + j] = joint_weight(alpha[i], alpha[j], column[i]);
    }
  }

  const PreparedCovariance& covariance_;
  int columns_;
  bool gradient_;
  int size_;
  Tile<Lanes> tile_;
  V* sums_;
  V** solve_list_;
  V* weights_;
  V* tile_gradient_;
};

}  // namespace neargp
