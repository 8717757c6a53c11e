// Cholesky factor, inverse and products of large dense matrices, by tiles over parallel_for(). Several threads help,
// and the caller can interrupt between tiles. A tile is one or two products of the engine, and therefore the same for
// any number of threads.
#pragma once

#include <Eigen/Core>

#include "base/run_context.h"

namespace neargp {

// S = LL' for the lower triangle of S, in place; the upper triangle stays. Returns false where a pivot is not positive.
bool tiled_cholesky(Eigen::MatrixXd& s, const RunContext& context);

// L^-1 X, in place.
void tiled_lower_solve(const Eigen::MatrixXd& lower, Eigen::MatrixXd& x, const RunContext& context);

// (LL')^-1
Eigen::MatrixXd tiled_inverse(const Eigen::MatrixXd& lower, const RunContext& context);

Eigen::MatrixXd tiled_product(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b, const RunContext& context);

}  // namespace neargp
