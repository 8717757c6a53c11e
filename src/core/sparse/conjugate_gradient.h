// Solves A x = h by conjugate gradients with a factor as preconditioner.
#pragma once

#include "sparse/sparse_factor.h"

namespace neargp {

// `x` is the start and becomes the solution, by node. Stops when the residual r has
// r'P^-1 r <= tolerance^2 h'P^-1 h, P the preconditioner. Returns the number of iterations, or -1 if that was
// not reached in `max_iterations` or the matrix turned out not to be positive definite.
int conjugate_gradient(const SparsePattern& pattern, const double* values, const SparseFactor& preconditioner,
                       const double* h, double* x, double tolerance, int max_iterations,
                       const RunContext& context);

}  // namespace neargp
