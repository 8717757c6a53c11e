#include "linalg/products.h"

#include <cmath>

namespace neargp {

namespace {

// The number of rows before the middle, a multiple of 32. It is 0 where all rows are solved for at once.
Index first_half(Index n) {
  constexpr Index step = 32;
  return n <= step ? 0 : (n / 2 + step - 1) / step * step;
}

ConstBlock operand(const ConstMatrixView& x, bool transposed = false) {
  return {x.data(), x.rows(), x.cols(), x.outerStride(), transposed};
}

Block target(MatrixView& x) { return {x.data(), x.rows(), x.cols(), x.outerStride()}; }

// Solves for few rows of a matrix. Where its columns begin in the same few sets of a cache, as those of 512 rows do,
// they push each other out of the cache. A solve then takes up to three times as long as a solve in a copy. The digits
// are the same.
void solve_few_rows(ConstBlock lower, MatrixView b, const ProductEngine& engine) {
  constexpr Index colliding = 512, few_columns = 8;  // of doubles: 4 KiB
  if (b.outerStride() % colliding != 0 || b.cols() <= few_columns) return engine.solve_left(lower, target(b));
  Eigen::MatrixXd copy = b;
  engine.solve_left(lower, {copy.data(), copy.rows(), copy.cols(), copy.outerStride()});
  b = copy;
}

}  // namespace

void multiply(ConstMatrixView a, ConstMatrixView b, MatrixView c) {
  c.setZero();
  product_engine().add_product(1.0, operand(a), operand(b), target(c));
}

void multiply_transposed(ConstMatrixView a, ConstMatrixView b, MatrixView c) {
  c.setZero();
  product_engine().add_product(1.0, operand(a, true), operand(b), target(c));
}

void add_product_transposed(ConstMatrixView a, ConstMatrixView b, MatrixView c) {
  product_engine().add_product(1.0, operand(a), operand(b, true), target(c));
}

void add_lower_product_transposed(ConstMatrixView a, ConstMatrixView b, MatrixView c) {
  const Index n = c.rows(), first = first_half(n), rest = n - first;
  if (first == 0) return add_product_transposed(a, b, c);
  add_lower_product_transposed(a.topRows(first), b.topRows(first), c.topLeftCorner(first, first));
  add_product_transposed(a.bottomRows(rest), b.topRows(first), c.bottomLeftCorner(rest, first));
  add_lower_product_transposed(a.bottomRows(rest), b.bottomRows(rest), c.bottomRightCorner(rest, rest));
}

void rank_update(ConstMatrixView a, MatrixView c) { product_engine().add_square(1.0, operand(a), target(c)); }

void weighted_rank_update(ConstMatrixView a, const Eigen::VectorXd& w, MatrixView c) {
  Eigen::MatrixXd scaled;
  weighted_rank_update(a, w, c, scaled);
}

// Columns with positive weights come first and those with negative weights last, so that each sign needs one product.
void weighted_rank_update(ConstMatrixView a, const Eigen::VectorXd& w, MatrixView c, Eigen::MatrixXd& scaled) {
  scaled.resize(a.rows(), a.cols());
  Index first = 0, last = a.cols();
  for (Index i = 0; i < a.cols(); ++i) scaled.col(w[i] < 0.0 ? --last : first++) = std::sqrt(std::abs(w[i])) * a.col(i);
  if (first > 0) rank_update(scaled.leftCols(first), c);
  if (last < a.cols()) product_engine().add_square(-1.0, operand(scaled.rightCols(a.cols() - last)), target(c));
}

// Solves by halves of the rows, so that nearly all of it is products of large matrices, which engines compute up to
// twice as fast as they solve.
void lower_solve(ConstMatrixView lower, MatrixView b, const ProductEngine& engine) {
  const Index n = lower.rows(), first = first_half(n), rest = n - first;
  if (first == 0) return solve_few_rows(operand(lower), b, engine);
  lower_solve(lower.topLeftCorner(first, first), b.topRows(first), engine);
  MatrixView below = b.bottomRows(rest);
  engine.add_product(-1.0, operand(lower.bottomLeftCorner(rest, first)), operand(b.topRows(first)), target(below));
  lower_solve(lower.bottomRightCorner(rest, rest), below, engine);
}

void lower_transposed_solve(ConstMatrixView lower, MatrixView b) {
  const ProductEngine& engine = product_engine();
  const Index n = lower.rows(), first = first_half(n), rest = n - first;
  if (first == 0) return solve_few_rows(operand(lower, true), b, engine);
  lower_transposed_solve(lower.bottomRightCorner(rest, rest), b.bottomRows(rest));
  MatrixView above = b.topRows(first);
  engine.add_product(-1.0, operand(lower.bottomLeftCorner(rest, first), true), operand(b.bottomRows(rest)),
                     target(above));
  lower_transposed_solve(lower.topLeftCorner(first, first), above);
}

bool cholesky(MatrixView s) {
  const Eigen::ArrayXd diagonal = s.diagonal();
  if (!product_engine().factorize(target(s))) return false;
  s.triangularView<Eigen::StrictlyUpper>().setZero();
  return (s.diagonal().array().square() > 1e-14 * diagonal).all();
}

}  // namespace neargp
