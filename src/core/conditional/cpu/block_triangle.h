// A symmetric matrix of packs in square blocks, for products of long rows of it: U U' in place and X X.
//
// Only blocks on and below the diagonal are stored, row by row of blocks. The rows of a Triangle are not next to each
// other in memory. Here each operand of a product is one run of blocks. A block I, J <= I of X X is
//
//   sum_{M <= J} X_IM X_JM' + sum_{J < M <= I} X_IM X_MJ + sum_{M > I} X_MI' X_MJ.
//
// The last block is filled up with rows and columns of zeros.
#pragma once

#include "base/arena.h"
#include "conditional/cpu/triangle.h"

namespace neargp {

template <int Lanes>
class BlockTriangle {
 public:
  using V = typename Pack<Lanes>::Real;
  static constexpr int side = Triangle<Lanes>::block;

  // Takes no memory if `rows` is 0.
  BlockTriangle(int rows, Arena& arena)
      : rows_(rows), blocks_((rows + side - 1) / side), entries_(arena.take<V>(triangle_size(blocks_) * area)) {}

  V diagonal(int i) const { return block(i / side, i / side)[i % side * (side + 1)]; }

  // Row first + i of an upper triangular matrix U is x[i], whose columns before `first` are not read. Rows come in
  // blocks, of `side` rows but for the last block.
  void set_upper_rows(int first, int count, V* const* x) {
    const int own = first / side;
    for (int column = own; column < blocks_; ++column) {
      if (count == side && (column + 1) * side <= rows_) {
        copy_block<false>(x, count, column, block(column, own));
      } else {
        copy_block<true>(x, count, column, block(column, own));
      }
    }
  }

  // Replaces the upper triangular U by U U'. A block of U is stored in the place of its transpose. It is not read after
  // that block of the product is known, if a row of blocks ends with the block on the diagonal.
  void square_upper() {
    for (int i = 0; i < blocks_; ++i) {
      for (int j = 0; j < i; ++j) square_upper_block<false>(i, j);
      square_upper_block<true>(i, i);
    }
  }

  // to_ij = entry(i, j, X_ij, (X X)_ij) for j <= i.
  template <class Entry>
  void write_squares(const Triangle<Lanes>& to, const Entry& entry) const {
    for (int i = 0; i < blocks_; ++i) {
      for (int j = 0; j < i; ++j) {
        if ((i + 1) * side <= rows_) {
          write_square<false, false>(to, i, j, entry);
        } else {
          write_square<false, true>(to, i, j, entry);
        }
      }
      write_square<true, true>(to, i, i, entry);
    }
  }

 private:
  static constexpr int area = side * side;
  using Sums = V[side][side];

  V* block(int i, int j) const { return entries_ + (triangle_size(i) + j) * area; }

  // Columns of `count` rows. `cut`: zeros fill the block up.
  template <bool cut>
  void copy_block(V* const* x, int count, int column, V* to) const {
    for (int i = 0; i < side; ++i)
#pragma GCC unroll 4
      for (int j = 0; j < side; ++j) {
        const int at = column * side + j;
        to[i * side + j] = !cut || (i < count && at < rows_) ? x[i][at] : V{};
      }
  }

  // sums += a b' for blocks a and b, or for their transposes; on the diagonal the lower triangle alone. Loops are
  // unrolled, here and below, so that the sums stay in registers (triangle.h).
  template <bool on_diagonal, bool a_transposed, bool b_transposed>
  static __attribute__((always_inline)) void add_product(const V* a, const V* b, Sums& sums) {
#pragma GCC unroll 4
    for (int m = 0; m < side; ++m)
#pragma GCC unroll 4
      for (int i = 0; i < side; ++i)
#pragma GCC unroll 4
        for (int j = 0; j < (on_diagonal ? i + 1 : side); ++j)
          sums[i][j] += a[a_transposed ? m * side + i : i * side + m] * b[b_transposed ? m * side + j : j * side + m];
  }

  template <bool on_diagonal>
  void square_upper_block(int i, int j) {
    Sums sums = {};
    for (int m = i; m < blocks_; ++m) add_product<on_diagonal, false, false>(block(m, i), block(m, j), sums);
    V* to = block(i, j);
#pragma GCC unroll 4
    for (int a = 0; a < side; ++a)
#pragma GCC unroll 4
      for (int b = 0; b < side; ++b) to[a * side + b] = on_diagonal && b > a ? sums[b][a] : sums[a][b];
  }

  // `cut`: entries above the diagonal and below the last row are not written. Nothing is written before all entries are
  // known: the compiler could not keep what entries share in registers.
  template <bool on_diagonal, bool cut, class Entry>
  void write_square(const Triangle<Lanes>& to, int i, int j, const Entry& entry) const {
    Sums sums = {};
    for (int m = 0; m <= j; ++m) add_product<on_diagonal, false, false>(block(i, m), block(j, m), sums);
    for (int m = j + 1; m <= i; ++m) add_product<on_diagonal, false, true>(block(i, m), block(m, j), sums);
    for (int m = i + 1; m < blocks_; ++m) add_product<on_diagonal, true, true>(block(m, i), block(m, j), sums);
    const V* x = block(i, j);
    const auto wanted = [&](int a, int b) __attribute__((always_inline)) {
      return !cut || (i * side + a < rows_ && j * side + b <= i * side + a);
    };
#pragma GCC unroll 4
    for (int a = 0; a < side; ++a)
#pragma GCC unroll 4
      for (int b = 0; b < side; ++b)
        if (wanted(a, b)) sums[a][b] = entry(i * side + a, j * side + b, x[a * side + b], sums[a][b]);
#pragma GCC unroll 4
    for (int a = 0; a < side; ++a)
#pragma GCC unroll 4
      for (int b = 0; b < side; ++b)
        if (wanted(a, b)) to.row(i * side + a)[j * side + b] = sums[a][b];
  }

  int rows_, blocks_;
  V* entries_;
};

}  // namespace neargp
