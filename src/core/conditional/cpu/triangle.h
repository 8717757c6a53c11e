// Cholesky factor and triangular solves of many small matrices at once, one per lane.
//
// A triangle is packed by rows: entry (i, j), j <= i, is at i(i+1)/2 + j.
//
//   00 | 10 11 | 20 21 22 | ...
//
// An entry is a pack [ lane 0 ... lane L-1 ], in which lane l belongs to the l-th matrix.
//
// All inner loops are products of two row blocks, B rows of one with B rows of the other.
// The B*B sums stay in registers, so that the arithmetic and not the loads decide the time.
// B = 4 where there are 32 vector registers, else 3.
#pragma once

#include <type_traits>
#include <utility>

#include "simd/simd.h"

namespace neargp {

#ifndef NEARGP_BLOCK
#define NEARGP_BLOCK 3
#endif

inline constexpr std::size_t triangle_size(int rows) { return std::size_t(rows) * (rows + 1) / 2; }

// Two sums, so that an addition need not wait for the one before it.
template <class V>
inline V dot(const V* x, const V* y, int length) {
  V even = V{}, odd = V{};
  int i = 0;
  for (; i + 2 <= length; i += 2) {
    even += x[i] * y[i];
    odd += x[i + 1] * y[i + 1];
  }
  return i < length ? even + odd + x[i] * y[i] : even + odd;
}

template <int Lanes>
struct Triangle {
  using V = typename Pack<Lanes>::Real;
  static constexpr int block = NEARGP_BLOCK;

  V* entries;           // packed lower triangle
  V* inverse_diagonal;  // of the factor
  int rows;

  V* row(int i) const { return entries + triangle_size(i); }

  // Calls action(first, count) with the first row of each block and the number of its rows, a constant. It is `block`,
  // except for the last block.
  template <class Action>
  static void for_each_block(int length, const Action& action) {
    int first = 0;
    for (; first + block <= length; first += block) action(first, std::integral_constant<int, block>());
    switch (length - first) {
      case 3: action(first, std::integral_constant<int, 3>()); break;
      case 2: action(first, std::integral_constant<int, 2>()); break;
      case 1: action(first, std::integral_constant<int, 1>()); break;
      default: break;
    }
  }

  // sums[i][j] = sum over m, from <= m < length, of a_i[m] * b_j[m]. Loops over i and j are unrolled, here and below,
  // which -O2 does not do by itself. All indices are then constants, and a block is a set of registers. Where this is
  // inlined, sums that nobody reads are not computed.
  template <int M, int N>
  static __attribute__((always_inline)) void products(V* const* a, V* const* b, int from, int length, V (&sums)[M][N]) {
    V* a_row[M];
    V* b_row[N];
#pragma GCC unroll 4
    for (int i = 0; i < M; ++i) a_row[i] = a[i];
#pragma GCC unroll 4
    for (int j = 0; j < N; ++j) b_row[j] = b[j];
#pragma GCC unroll 4
    for (int i = 0; i < M; ++i)
#pragma GCC unroll 4
      for (int j = 0; j < N; ++j) sums[i][j] = V{};
    for (int m = from; m < length; ++m)
#pragma GCC unroll 4
      for (int i = 0; i < M; ++i)
#pragma GCC unroll 4
        for (int j = 0; j < N; ++j) sums[i][j] += a_row[i][m] * b_row[j][m];
  }

  // Columns first .. first+N-1 of the rows x_i, less their products with the rows b_j in the columns from .. first-1.
  // If `zero`, the columns are zero and not read.
  template <bool zero = false, int M, int N>
  static __attribute__((always_inline)) void reduced_block(V* const* x, V* const* b, int from, int first,
                                                           V (&block)[M][N]) {
    products(x, b, from, first, block);
#pragma GCC unroll 4
    for (int i = 0; i < M; ++i)
#pragma GCC unroll 4
      for (int j = 0; j < N; ++j) block[i][j] = (zero ? V{} : x[i][first + j]) - block[i][j];
  }

  // Columns first .. first+N-1 of M rows of the solution of X L' = A. Rows of X replace rows
  // of A. Subtracts what earlier columns contribute, then substitutes through the N x N
  // diagonal block. Columns before `from` are zero and not read. `zero`: as above, of A.
  template <int M, int N, bool zero = false>
  void solve_block(V* const* x, int from, int first) const {
    V* factor_rows[N];
    V block[M][N];
#pragma GCC unroll 4
    for (int j = 0; j < N; ++j) factor_rows[j] = row(first + j);
    reduced_block<zero>(x, factor_rows, from, first, block);
#pragma GCC unroll 4
    for (int j = 0; j < N; ++j) {
#pragma GCC unroll 4
      for (int m = 0; m < j; ++m)
#pragma GCC unroll 4
        for (int i = 0; i < M; ++i) block[i][j] -= block[i][m] * factor_rows[j][first + m];
#pragma GCC unroll 4
      for (int i = 0; i < M; ++i) block[i][j] *= inverse_diagonal[first + j];
    }
#pragma GCC unroll 4
    for (int i = 0; i < M; ++i)
#pragma GCC unroll 4
      for (int j = 0; j < N; ++j) x[i][first + j] = block[i][j];
  }

  // Solves for M rows. `from` is a multiple of `block`.
  template <int M>
  void solve_rows_of(V* const* x, int from, int length) const {
    solve_columns<M, false>(x, from, from, length);
  }

  // The same for M rows of A that are zero but for the columns from .. from+M-1. The columns after these are not read.
  template <int M>
  void solve_short_rows(V* const* x, int from, int length) const {
    solve_block<M, M>(x, from, from);
    solve_columns<M, true>(x, from, from + M, length);
  }

  // x_i := L^-1 x_i for `count` vectors of `length` elements.
  void solve_forward(V* const* x, int count, int length) const {
    for_each_block(count, [&](int i, auto rows) { solve_rows_of<decltype(rows)::value>(x + i, 0, length); });
  }

  // x := L^-T x for the leading `length` rows of the factor.
  void solve_backward(V* x, int length) const { solve_backward_of<1>(&x, length); }

  // x := (LL')^-1 x for two vectors, for which each row of the factor is loaded once.
  void solve_pair(V* x, V* y, int length) const {
    V* both[2] = {x, y};
    solve_rows_of<2>(both, 0, length);
    solve_backward_of<2>(both, length);
  }

  // Replaces the leading `length` rows of a symmetric matrix by their Cholesky factor. A pivot
  // below `tolerance` times its diagonal entry marks the lane as failed: all its bits in
  // `failed` are set. The diagonal entry replaces the pivot, to keep the other lanes going.
  void factorize(int length, double tolerance, typename Pack<Lanes>::Bits& failed) {
    for_each_block(length, [&](int first, auto rows) { factor_rows<decltype(rows)::value>(first, tolerance, failed); });
  }

 private:
  // The columns first .. length-1.
  template <int M, bool zero>
  void solve_columns(V* const* x, int from, int first, int length) const {
    for (; first + block <= length; first += block) solve_block<M, block, zero>(x, from, first);
    switch (length - first) {
      case 3: solve_block<M, 3, zero>(x, from, first); break;
      case 2: solve_block<M, 2, zero>(x, from, first); break;
      case 1: solve_block<M, 1, zero>(x, from, first); break;
      default: break;
    }
  }

  // Two rows of the factor at a time, to load and store x half as often.
  template <int M>
  void solve_backward_of(V* const* vectors, int length) const {
    V* x[M];
    for (int v = 0; v < M; ++v) x[v] = vectors[v];
    int i = length - 1;
    for (; i >= 1; i -= 2) {
      const V* upper = row(i);
      const V* lower = row(i - 1);
      V xi[M], xj[M];
      for (int v = 0; v < M; ++v) {
        xi[v] = x[v][i] * inverse_diagonal[i];
        xj[v] = (x[v][i - 1] - upper[i - 1] * xi[v]) * inverse_diagonal[i - 1];
        x[v][i] = xi[v];
        x[v][i - 1] = xj[v];
      }
      for (int m = 0; m < i - 1; ++m) {
        const V above = upper[m], below = lower[m];
#pragma GCC unroll 2
        for (int v = 0; v < M; ++v) x[v][m] -= above * xi[v] + below * xj[v];
      }
    }
    if (i == 0)
      for (int v = 0; v < M; ++v) x[v][0] = x[v][0] * inverse_diagonal[0];
  }

  template <int M>
  void factor_rows(int first, double tolerance, typename Pack<Lanes>::Bits& failed) {
    V* x[M];
    for (int i = 0; i < M; ++i) x[i] = row(first + i);
    for (int column = 0; column < first; column += block) solve_block<M, block>(x, 0, column);
    V block[M][M];
    reduced_block(x, x, 0, first, block);
#pragma GCC unroll 4
    for (int j = 0; j < M; ++j) {
#pragma GCC unroll 4
      for (int m = 0; m < j; ++m)
#pragma GCC unroll 4
        for (int i = j; i < M; ++i) block[i][j] -= block[i][m] * block[j][m];
      V inverse;
      pivot(block[j][j], x[j][first + j], tolerance, inverse, failed);
      inverse_diagonal[first + j] = inverse;
#pragma GCC unroll 4
      for (int i = j + 1; i < M; ++i) block[i][j] *= inverse;
    }
#pragma GCC unroll 4
    for (int i = 0; i < M; ++i)
#pragma GCC unroll 4
      for (int j = 0; j < i; ++j) x[i][first + j] = block[i][j];
  }

  static void pivot(V value, V& diagonal, double tolerance, V& inverse, typename Pack<Lanes>::Bits& failed) {
    const auto good = value > tolerance * diagonal;
    failed |= (typename Pack<Lanes>::Bits) ~good;
    const V root = math::sqrt(good ? value : diagonal);
    diagonal = root;
    inverse = 1.0 / root;
  }
};

}  // namespace neargp
