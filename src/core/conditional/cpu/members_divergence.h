// Minus the divergence of independent normals at the members of a conditioning set, u_l ~ N(m_l, s_l), from their
// joint prior N(0, K), and its gradient. Let K = L L', S = diag(s) and a = K^-1 m. Then
//
//   D = -1/2 [ tr K^-1 S + m'a - k + sum_l log(L_ll^2 / s_l) ].
//
// The derivatives are
//
//   dD/dm = -a,   dD/ds_l = -1/2 [(K^-1)_ll - 1 / s_l],   dD/dK = -1/2 [K^-1 - K^-1 S K^-1 - a a'].
//
// All of them follow from U = S^1/2 L^-T. Row i of U is sqrt(s_i) L^-1 e_i and begins at column i. Let X = U U' and
// r_i = 1 / sqrt(s_i). Then
//
//   tr K^-1 S = tr X,   [K^-1]_ij = r_i X_ij r_j,   [K^-1 S K^-1]_ij = r_i [X X]_ij r_j.
//
// The matrices L, U and X take k^3 / 6 multiplications each, and X X takes k^3 / 2. This is the same order as for the
// conditional moments of the target.
#pragma once

#include "base/arena.h"
#include "conditional/cpu/triangle.h"

namespace neargp {

template <int Lanes>
class DivergenceTile {
 public:
  using V = typename Pack<Lanes>::Real;

  // For `k` members. Takes no memory if k is 0.
  DivergenceTile(int k, Arena& arena)
      : k_(k), stride_(k + 1), root_(arena.take<V>(root_size())), square_(arena.take<V>(std::size_t(k) * stride_)),
        solved_(arena.take<V>(k)), inverse_sd_(arena.take<V>(k)) {}

  // Returns D.
  V evaluate(const Triangle<Lanes>& factor, const V* m, const V* s) {
    find_root(factor, s);
    for_each_product<true>([&](int i) { return root_row(i); },
                           [&](int i, int j, V sum) { row(i)[j] = row(j)[i] = sum; });
    for (int l = 0; l < k_; ++l) solved_[l] = m[l];
    V* solved = solved_;
    factor.solve_forward(&solved, 1, k_);
    factor.solve_backward(solved_, k_);
    V log_ratio = V{};
    quadratic_ = dot(solved_, m, k_) - double(k_);
    for (int l = 0; l < k_; ++l) {
      quadratic_ += row(l)[l];
      log_ratio += math::log(s[l] * factor.inverse_diagonal[l] * factor.inverse_diagonal[l]);
    }
    return 0.5 * (log_ratio - quadratic_);
  }

  V solved(int l) const { return solved_[l]; }   // a_l
  V diagonal(int l) const { return row(l)[l]; }  // s_l (K^-1)_ll
  V total() const { return 0.5 * quadratic_; }   // <dD/dK, K>

  // visit(i, j, dD/dK_ij) for j <= i.
  template <class Visit>
  void for_each_weight(const Visit& visit) const {
    for_each_product<false>(
        [&](int i) { return row(i); },
        [&](int i, int j, V sum) {
          visit(i, j, 0.5 * (solved_[i] * solved_[j] - inverse_sd_[i] * inverse_sd_[j] * (row(i)[j] - sum)));
        });
  }

 private:
  static constexpr int block = Triangle<Lanes>::block;

  // A row of U is stored from the first column of its block on, so that all rows of a block begin at one column.
  std::size_t root_size() const { return root_start((k_ + block - 1) / block); }
  std::size_t root_start(int blocks) const {
    return std::size_t(block) * (std::size_t(blocks) * k_ - std::size_t(block) * blocks * (blocks - 1) / 2);
  }
  V* root_row(int i) const {
    const int first = i / block * block;
    return root_ + root_start(i / block) + std::size_t(i - first) * (k_ - first) - first;
  }
  // A row of X. The stride is k_ + 1: with a stride of 64 all rows would share one set of the nearest cache.
  V* row(int i) const { return square_ + std::size_t(i) * stride_; }

  void find_root(const Triangle<Lanes>& factor, const V* s) {
    Triangle<Lanes>::for_each_block(k_, [&](int first, auto rows) {
      constexpr int count = decltype(rows)::value;
      V* x[count];
      for (int i = 0; i < count; ++i) {
        x[i] = root_row(first + i);
        for (int m = first; m < k_; ++m) x[i][m] = V{};
        x[i][first + i] = math::sqrt(s[first + i]);
        inverse_sd_[first + i] = 1.0 / x[i][first + i];
      }
      factor.template solve_rows_of<count>(x, first, k_);
    });
  }

  // visit(i, j, product of rows i and j) for j <= i. In row i of a triangular matrix the columns before i are zero.
  template <bool triangular, class Row, class Visit>
  void for_each_product(const Row& row, const Visit& visit) const {
    Triangle<Lanes>::for_each_block(k_, [&](int first, auto rows) {
      constexpr int count = decltype(rows)::value;
      const int from = triangular ? first : 0;
      for (int column = 0; column < first; column += block) multiply<count, block>(row, first, column, from, visit);
      multiply<count, count>(row, first, first, from, visit);
    });
  }

  template <int M, int N, class Row, class Visit>
  void multiply(const Row& row, int first, int column, int from, const Visit& visit) const {
    V* a[M];
    V* b[N];
    V sums[M][N];
    for (int i = 0; i < M; ++i) a[i] = row(first + i);
    for (int j = 0; j < N; ++j) b[j] = row(column + j);
    Triangle<Lanes>::products(a, b, from, k_, sums);
#pragma GCC unroll 4
    for (int i = 0; i < M; ++i)
#pragma GCC unroll 4
      for (int j = 0; j < N; ++j)
        if (column + j <= first + i) visit(first + i, column + j, sums[i][j]);
  }

  int k_, stride_;
  V* root_;
  V* square_;
  V* solved_;
  V* inverse_sd_;
  V quadratic_;  // tr K^-1 S + m'a - k
};

}  // namespace neargp
