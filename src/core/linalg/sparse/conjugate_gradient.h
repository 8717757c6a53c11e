// Solves A x = h by conjugate gradients with a preconditioner P. Both A and P are given as functions of a vector.
#pragma once

#include <Eigen/Core>
#include <functional>
#include <vector>

#include "base/run_context.h"
#include "base/types.h"

namespace neargp {

using LinearMap = std::function<std::vector<double>(const std::vector<double>&)>;

struct LinearSolution {
  std::vector<double> x;
  int iterations = 0;
  bool converged = false;
};

// Stops when the residual r satisfies r'P^-1 r <= tolerance^2 h'P^-1 h, after `max_iterations`, or where A turns out
// not to be positive definite. `precondition` is P^-1.
LinearSolution conjugate_gradient(const LinearMap& multiply, const LinearMap& precondition,
                                  const std::vector<double>& h, double tolerance, int max_iterations,
                                  const RunContext& context);

// The same for several right-hand sides, the columns of `h`, solved in place. Returns false where one did not converge.
// Each takes the steps that it would take alone. `precondition` is P^-1 of the given number of columns, in place.
// `guess`: if not empty, solutions x of nearby equations that the first columns start from. A column's tolerance is
// then relative to 2 h'x - x'A x, which is at most h'A^-1 h. A guess for which this is not positive is not used.
// `left`: gets the residuals h - A x of the solutions.
using ColumnsMap = std::function<void(double*, int)>;
bool conjugate_gradients(const LinearMap& multiply, const ColumnsMap& precondition, Eigen::MatrixXd& h,
                         double tolerance, int max_iterations, const Eigen::MatrixXd& guess = {},
                         Eigen::MatrixXd* left = nullptr);

}  // namespace neargp
