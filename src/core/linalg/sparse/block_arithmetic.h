// Arithmetic of the entries of a sparse factor: numbers, or square blocks of numbers by column. Row r and column c of a
// block belong to unknown r of the entry's row and unknown c of its column.
//
// A block of size 1 is a number. Its operations are those of numbers, in the order in which pair_loops.h has them.
#pragma once

#include <Eigen/Core>
#include <cmath>
#include <cstddef>
#include <type_traits>

#include "linalg/sparse/pair_loops.h"
#include "linalg/sparse/sparse_pattern.h"

namespace neargp {

constexpr int most_unknowns = 6;  // of a node, for which there is code

// Calls action(size as a type). The size is between 1 and most_unknowns.
template <int size>
using BlockSize = std::integral_constant<int, size>;

template <class Action>
auto with_block_size(int size, const Action& action) {
  switch (size) {
    case 2: return action(BlockSize<2>());
    case 3: return action(BlockSize<3>());
    case 4: return action(BlockSize<4>());
    case 5: return action(BlockSize<5>());
    case 6: return action(BlockSize<6>());
    default: return action(BlockSize<1>());
  }
}

template <int size>
struct BlockArithmetic {
  static constexpr std::size_t area = std::size_t(size * size);
  using Block = Eigen::Matrix<double, size, size>;
  using Vector = Eigen::Matrix<double, size, 1>;

  static Eigen::Map<Block> at(double* x) { return Eigen::Map<Block>(x); }
  static Eigen::Map<const Block> at(const double* x) { return Eigen::Map<const Block>(x); }

  // A symmetric block becomes its lower Cholesky factor. Returns false where it is not positive definite.
  static bool factorize(double* pivot) {
    auto l = at(pivot);
    for (int c = 0; c < size; ++c) {
      for (int d = 0; d < c; ++d) l.col(c).tail(size - c) -= l(c, d) * l.col(d).tail(size - c);
      if (!(l(c, c) > 0.0) || !std::isfinite(l(c, c))) return false;
      l.col(c).head(c).setZero();
      l.col(c).tail(size - c) /= std::sqrt(l(c, c));
    }
    return true;
  }

  // The inverse of a lower factor.
  static Block inverse(const double* lower) {
    const auto l = at(lower);
    Block result = Block::Zero();
    for (int c = 0; c < size; ++c) {
      result(c, c) = 1.0 / l(c, c);
      for (int r = c + 1; r < size; ++r) {
        double sum = 0.0;
        for (int d = c; d < r; ++d) sum += l(r, d) * result(d, c);
        result(r, c) = -sum / l(r, r);
      }
    }
    return result;
  }

  static double log_det(const double* lower) { return std::log(at(lower).diagonal().prod()); }

  // x = x inverse'
  static void divide(double* x, const Block& inverse) { at(x) = (at(x).lazyProduct(inverse.transpose())).eval(); }

  // x -= l l'
  static void subtract_square(double* x, const double* l) { at(x).noalias() -= at(l).lazyProduct(at(l).transpose()); }

  // Subtracts source[p] factor' from entry number p of the row of the table of pairs.
  template <class Pair>
  static void subtract(double* x, const Pair* place, const double* source, int pairs, const double* factor) {
    const Block transposed = at(factor).transpose();
    for (int p = 0; p < pairs; ++p)
      at(x + place[p] * area).noalias() -= at(source + std::size_t(p) * area).lazyProduct(transposed);
  }

  // Let z_p be entry number p of the row of the table. Adds z_p factor[-1] to sum[p]. Adds x[0] factor[-1] and the sum
  // of z_p' factor[p] to sum[-1].
  template <class Pair>
  static void gather(const double* x, const Pair* place, const double* factor, double* sum, int pairs) {
    const Block own = at(factor - area);
    Block total = at(x).lazyProduct(own);
    for (int p = 0; p < pairs; ++p) {
      const auto z = at(x + place[p] * area);
      total.noalias() += z.transpose().lazyProduct(at(factor + std::size_t(p) * area));
      at(sum + std::size_t(p) * area).noalias() += z.lazyProduct(own);
    }
    at(sum - area) += total;
  }

  // z = -t inverse, and rest -= z'l
  static void entry_of_inverse(double* z, const double* t, const Block& inverse, const double* l, Block& rest) {
    at(z).noalias() = -at(t).lazyProduct(inverse);
    rest.noalias() -= at(z).transpose().lazyProduct(at(l));
  }

  static Block first_rest(const Block& inverse) { return inverse.transpose(); }
  static void diagonal_of_inverse(double* z, const Block& rest, const Block& inverse) {
    at(z).noalias() = rest.lazyProduct(inverse);
  }

  static Block zero() { return Block::Zero(); }
  static Block both_sides(const double* v, const double* x) {  // v'x v
    return at(v).transpose().lazyProduct((at(x).lazyProduct(at(v))).eval());
  }
  static double inner(const double* x, const Block& y) { return at(x).cwiseProduct(y).sum(); }

  // Solutions of right-hand sides in rows, one column for each unknown.
  template <class Rows>
  static void solve_lower(const double* lower, Rows& y) {
    const auto l = at(lower);
    for (int c = 0; c < size; ++c) {
      for (int d = 0; d < c; ++d) y.col(c) -= l(c, d) * y.col(d);
      y.col(c) /= l(c, c);
    }
  }
  template <class Rows>
  static void solve_upper(const double* lower, Rows& y) {
    const auto l = at(lower);
    for (int c = size - 1; c >= 0; --c) {
      for (int d = c + 1; d < size; ++d) y.col(c) -= l(d, c) * y.col(d);
      y.col(c) /= l(c, c);
    }
  }
  // y -= value l', y -= value l
  template <class Rows, class Value>
  static void subtract_forward(Rows& y, const double* l, const Value& value) {
    for (int c = 0; c < size; ++c)
      for (int r = 0; r < size; ++r) y.col(r) -= l[c * size + r] * value.col(c);
  }
  template <class Rows>
  static void subtract_backward(Rows& y, const double* l, const Rows& value) {
    for (int c = 0; c < size; ++c)
      for (int r = 0; r < size; ++r) y.col(c) -= l[c * size + r] * value.col(r);
  }
};

template <>
struct BlockArithmetic<1> {
  static constexpr std::size_t area = 1;
  using Block = double;

  static bool factorize(double* pivot) {
    if (!(*pivot > 0.0) || !std::isfinite(*pivot)) return false;
    *pivot = std::sqrt(*pivot);
    return true;
  }
  static double inverse(const double* lower) { return 1.0 / *lower; }
  static double log_det(const double* lower) { return std::log(*lower); }
  static void divide(double* x, double inverse) { *x *= inverse; }
  static void subtract_square(double* x, const double* l) { *x -= *l * *l; }

  template <class Pair>
  static void subtract(double* x, const Pair* place, const double* source, int pairs, const double* factor) {
    pairs::subtract(x, place, source, pairs::row_length(pairs), *factor);
  }
  template <class Pair>
  static void gather(const double* x, const Pair* place, const double* factor, double* sum, int pairs) {
    sum[-1] += x[0] * factor[-1] + pairs::gather(x, place, factor, sum, pairs::row_length(pairs), factor[-1]);
  }
  static void entry_of_inverse(double* z, const double* t, double inverse, const double* l, double& rest) {
    *z = -*t * inverse;
    rest -= *z * *l;
  }
  static double first_rest(double inverse) { return inverse; }
  static void diagonal_of_inverse(double* z, double rest, double inverse) { *z = rest * inverse; }
  static double zero() { return 0.0; }
  static double both_sides(const double* v, const double* x) { return *v * *v * *x; }
  static double inner(const double* x, double y) { return *x * y; }

  template <class Rows>
  static void solve_lower(const double* lower, Rows& y) {
    y = y / *lower;
  }
  template <class Rows>
  static void solve_upper(const double* lower, Rows& y) {
    y = y / *lower;
  }
  template <class Rows, class Value>
  static void subtract_forward(Rows& y, const double* l, const Value& value) {
    y -= *l * value;
  }
  template <class Rows>
  static void subtract_backward(Rows& y, const double* l, const Rows& value) {
    y -= *l * value;
  }
};

}  // namespace neargp
