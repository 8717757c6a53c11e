// Solves A x = h by conjugate gradients with a preconditioner P, both given by what they do to a vector.
#pragma once

#include <functional>
#include <vector>

#include "base/run_context.h"

namespace neargp {

using LinearMap = std::function<std::vector<double>(const std::vector<double>&)>;

struct LinearSolution {
  std::vector<double> x;
  int iterations = 0;
  bool converged = false;
};

// Stops when the residual r has r'P^-1 r <= tolerance^2 h'P^-1 h, after `max_iterations`, or where A turns out not to
// be positive definite. `precondition` is P^-1.
LinearSolution conjugate_gradient(const LinearMap& multiply, const LinearMap& precondition,
                                  const std::vector<double>& h, double tolerance, int max_iterations,
                                  const RunContext& context);

}  // namespace neargp
