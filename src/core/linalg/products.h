// The dense products of methods with inducing points, on matrices of Eigen, by the engine of product_engine.h.
#pragma once

#include <Eigen/Core>

#include "linalg/product_engine.h"

namespace neargp {

using MatrixView = Eigen::Ref<Eigen::MatrixXd>;
using ConstMatrixView = Eigen::Ref<const Eigen::MatrixXd>;

// C = A B
void multiply(ConstMatrixView a, ConstMatrixView b, MatrixView c);

// C = A'B
void multiply_transposed(ConstMatrixView a, ConstMatrixView b, MatrixView c);

// C += A B'
void add_product_transposed(ConstMatrixView a, ConstMatrixView b, MatrixView c);

// C += A B' in the lower triangle of C, in half the time. The entries above the diagonal are lost.
void add_lower_product_transposed(ConstMatrixView a, ConstMatrixView b, MatrixView c);

// C += A A'. Only the lower triangle of C is read and written.
void rank_update(ConstMatrixView a, MatrixView c);

// C += A diag(w) A'. Only the lower triangle of C is read and written; some w may be negative.
void weighted_rank_update(ConstMatrixView a, const Eigen::VectorXd& w, MatrixView c);
// `scaled` is memory for the scaled columns, used again where the number of columns is the same.
void weighted_rank_update(ConstMatrixView a, const Eigen::VectorXd& w, MatrixView c, Eigen::MatrixXd& scaled);

// L^-1 B and L^-T B in place, L the lower triangle of `lower`.
void lower_solve(ConstMatrixView lower, MatrixView b, const ProductEngine& engine = product_engine());
void lower_transposed_solve(ConstMatrixView lower, MatrixView b);

// S = LL' for the lower triangle of S, in place, with zeros above the diagonal. False where a pivot is below 1e-14 of
// its diagonal entry.
bool cholesky(MatrixView s);

}  // namespace neargp
