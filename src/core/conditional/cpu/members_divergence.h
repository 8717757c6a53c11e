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
// conditional moments of the target, which need L alone. The gradient backwards through U and L takes as many: k^3 / 3
// for either.
#pragma once

#include "conditional/cpu/block_triangle.h"

namespace neargp {

template <int Lanes>
class DivergenceTile {
 public:
  using V = typename Pack<Lanes>::Real;

  // For `k` members. Takes no memory if k is 0.
  DivergenceTile(int k, Arena& arena)
      : k_(k), square_(k, arena), root_rows_(arena.take<V>(std::size_t(k) * block)), solved_(arena.take<V>(k)),
        inverse_sd_(arena.take<V>(k)) {}

  // Returns D. Also x := K^-1 x, in the same pass over the factor as K^-1 m.
  V evaluate(const Triangle<Lanes>& factor, const V* m, const V* s, V* x) {
    find_root(factor, s);
    square_.square_upper();
    for (int l = 0; l < k_; ++l) solved_[l] = m[l];
    factor.solve_pair(x, solved_, k_);
    V log_ratio = V{};
    quadratic_ = dot(solved_, m, k_) - double(k_);
    for (int l = 0; l < k_; ++l) {
      quadratic_ += diagonal(l);
      log_ratio += math::log(s[l] * factor.inverse_diagonal[l] * factor.inverse_diagonal[l]);
    }
    return 0.5 * (log_ratio - quadratic_);
  }

  V solved(int l) const { return solved_[l]; }             // a_l
  V diagonal(int l) const { return square_.diagonal(l); }  // s_l (K^-1)_ll
  V total() const { return 0.5 * quadratic_; }             // <dD/dK, K>

  // to_ij = entry(i, j, dD/dK_ij) for j <= i.
  template <class Entry>
  void write_weights(const Triangle<Lanes>& to, const Entry& entry) const {
    square_.write_squares(
        to, [&](int i, int j, V x, V xx) __attribute__((always_inline)) {
          return entry(i, j, 0.5 * (solved_[i] * solved_[j] + inverse_sd_[i] * inverse_sd_[j] * (xx - x)));
        });
  }

 private:
  static constexpr int block = BlockTriangle<Lanes>::side;

  void find_root(const Triangle<Lanes>& factor, const V* s) {
    Triangle<Lanes>::for_each_block(k_, [&](int first, auto rows) {
      constexpr int count = decltype(rows)::value;
      V* x[count];
      for (int i = 0; i < count; ++i) {
        x[i] = root_rows_ + std::size_t(i) * k_;
        for (int m = 0; m < count; ++m) x[i][first + m] = V{};
        x[i][first + i] = math::sqrt(s[first + i]);
        inverse_sd_[first + i] = 1.0 / x[i][first + i];
      }
      factor.template solve_short_rows<count>(x, first, k_);
      square_.set_upper_rows(first, count, x);
    });
  }

  int k_;
  BlockTriangle<Lanes> square_;  // U, later X
  V* root_rows_;                 // a block of rows of U
  V* solved_;
  V* inverse_sd_;
  V quadratic_;  // tr K^-1 S + m'a - k
};

}  // namespace neargp
