// Conjugate gradients for several right-hand sides at a time, the columns of a matrix, which share each product with
// the matrix A of the equations. Each column takes the steps that it would take alone.
#pragma once

#include <Eigen/Core>
#include <utility>
#include <vector>

#include "base/types.h"

namespace neargp {

// The steps and the ratios of squared norms of each iteration, with a number for each column. They determine Lanczos'
// tridiagonal matrix.
struct ConjugateSteps {
  std::vector<Eigen::VectorXd> step, ratio;
};

struct BlockSolution {
  Eigen::MatrixXd solved, field, remainder;  // the last are the residuals
  int iterations = 0;
  double residual = 0.0;  // the largest norm of a column's residual, relative to its `size`
};

inline Eigen::VectorXd column_products(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b) {
  return a.cwiseProduct(b).colwise().sum();
}

// x += p diag(step)
inline void move_columns(Eigen::MatrixXd& x, const Eigen::MatrixXd& p, const Eigen::VectorXd& step) {
  x += p * step.asDiagonal();
}

// Continues from `at`, whose residual is r. multiply(p, field) returns A p and sets `field` to what `at.field` sums up,
// or leaves `field` empty. precondition(r) returns P^-1 r. `steps` may be null.
template <class Multiply, class Precondition>
void block_conjugate_gradients(const Multiply& multiply, const Precondition& precondition, Eigen::MatrixXd r,
                               const Eigen::VectorXd& size, double tolerance, int most, BlockSolution& at,
                               ConjugateSteps* steps = nullptr) {
  using Eigen::MatrixXd;
  using Eigen::VectorXd;
  MatrixXd z = precondition(r), p = z;
  VectorXd rz = column_products(r, z);
  const auto relative = [&] { return (r.colwise().norm().transpose().array() / size.array()).maxCoeff(); };
  for (at.residual = relative(); at.residual > tolerance && at.iterations < most;
       ++at.iterations, at.residual = relative()) {
    MatrixXd field;
    const MatrixXd product = multiply(p, field);
    const VectorXd step = rz.cwiseQuotient(column_products(p, product).cwiseMax(1e-300));
    move_columns(at.solved, p, step);
    if (field.size() > 0) move_columns(at.field, field, step);
    move_columns(r, product, -step);
    z = precondition(r);
    const VectorXd next = column_products(r, z);
    const VectorXd ratio = next.cwiseQuotient(rz.cwiseMax(1e-300));
    p = z + (p * ratio.asDiagonal()).eval();
    rz = next;
    if (!steps) continue;
    steps->step.push_back(step);
    steps->ratio.push_back(ratio);
  }
  at.remainder = std::move(r);
}

}  // namespace neargp
