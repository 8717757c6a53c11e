#include "linalg/products.h"

#include "linalg/product_engine.h"

namespace neargp {

namespace {

ConstBlock block(const ConstMatrixView& x, bool transposed = false) {
  return {x.data(), x.rows(), x.cols(), x.outerStride(), transposed};
}

Block block(MatrixView& x) { return {x.data(), x.rows(), x.cols(), x.outerStride()}; }

}  // namespace

void multiply(ConstMatrixView a, ConstMatrixView b, MatrixView c) {
  c.setZero();
  product_engine().add_product(1.0, block(a), block(b), block(c));
}

void rank_update(ConstMatrixView a, MatrixView c) { product_engine().add_square(1.0, block(a), block(c)); }

void lower_solve(ConstMatrixView lower, MatrixView b) { product_engine().solve_left(block(lower), block(b)); }

void lower_transposed_solve(ConstMatrixView lower, MatrixView b) {
  product_engine().solve_left(block(lower, true), block(b));
}

bool cholesky(MatrixView s) {
  const Eigen::ArrayXd diagonal = s.diagonal();
  if (!product_engine().factorize(block(s))) return false;
  s.triangularView<Eigen::StrictlyUpper>().setZero();
  return (s.diagonal().array().square() > 1e-14 * diagonal).all();
}

}  // namespace neargp
