#include "linalg/products.h"

#include <Eigen/Cholesky>

namespace neargp {

void multiply(ConstMatrixView a, ConstMatrixView b, MatrixView c) { c.noalias() = a * b; }

void rank_update(ConstMatrixView a, MatrixView c) { c.selfadjointView<Eigen::Lower>().rankUpdate(a); }

void lower_solve(ConstMatrixView lower, MatrixView b) { lower.triangularView<Eigen::Lower>().solveInPlace(b); }

void lower_transposed_solve(ConstMatrixView lower, MatrixView b) {
  lower.transpose().triangularView<Eigen::Upper>().solveInPlace(b);
}

bool cholesky(MatrixView s) {
  const Eigen::ArrayXd diagonal = s.diagonal();
  Eigen::LLT<Eigen::Ref<Eigen::MatrixXd>> factor(s);
  if (factor.info() != Eigen::Success) return false;
  s.triangularView<Eigen::StrictlyUpper>().setZero();
  return (s.diagonal().array().square() > 1e-14 * diagonal).all();
}

}  // namespace neargp
