#include "linalg/products.h"

#include <algorithm>

namespace neargp {

namespace {

constexpr Index solved_rows = 64;

ConstBlock operand(const ConstMatrixView& x, bool transposed = false) {
  return {x.data(), x.rows(), x.cols(), x.outerStride(), transposed};
}

Block target(MatrixView& x) { return {x.data(), x.rows(), x.cols(), x.outerStride()}; }

}  // namespace

void multiply(ConstMatrixView a, ConstMatrixView b, MatrixView c) {
  c.setZero();
  product_engine().add_product(1.0, operand(a), operand(b), target(c));
}

void add_product_transposed(ConstMatrixView a, ConstMatrixView b, MatrixView c) {
  product_engine().add_product(1.0, operand(a), operand(b, true), target(c));
}

void rank_update(ConstMatrixView a, MatrixView c) { product_engine().add_square(1.0, operand(a), target(c)); }

void weighted_rank_update(ConstMatrixView a, const Eigen::VectorXd& w, MatrixView c) {
  using Eigen::MatrixXd;
  rank_update(MatrixXd(a * w.cwiseMax(0.0).cwiseSqrt().asDiagonal()), c);
  if (!(w.minCoeff() < 0.0)) return;
  MatrixXd taken = MatrixXd::Zero(c.rows(), c.cols());
  rank_update(MatrixXd(a * (-w).cwiseMax(0.0).cwiseSqrt().asDiagonal()), taken);
  c -= taken;
}

// By blocks of rows, so that nearly all of it is products, which engines compute up to twice as fast as they solve.
void lower_solve(ConstMatrixView lower, MatrixView b, const ProductEngine& engine) {
  for (Index first = 0; first < lower.rows(); first += solved_rows) {
    const Index rows = std::min(solved_rows, lower.rows() - first);
    MatrixView solved = b.middleRows(first, rows);
    engine.add_product(-1.0, operand(lower.block(first, 0, rows, first)), operand(b.topRows(first)), target(solved));
    engine.solve_left(operand(lower.block(first, first, rows, rows)), target(solved));
  }
}

void lower_transposed_solve(ConstMatrixView lower, MatrixView b) {
  const ProductEngine& engine = product_engine();
  for (Index last = lower.rows(); last > 0;) {
    const Index first = (last - 1) / solved_rows * solved_rows, rows = last - first, rest = lower.rows() - last;
    MatrixView solved = b.middleRows(first, rows);
    engine.add_product(-1.0, operand(lower.block(last, first, rest, rows), true), operand(b.bottomRows(rest)), target(solved));
    engine.solve_left(operand(lower.block(first, first, rows, rows), true), target(solved));
    last = first;
  }
}

bool cholesky(MatrixView s) {
  const Eigen::ArrayXd diagonal = s.diagonal();
  if (!product_engine().factorize(target(s))) return false;
  s.triangularView<Eigen::StrictlyUpper>().setZero();
  return (s.diagonal().array().square() > 1e-14 * diagonal).all();
}

}  // namespace neargp
