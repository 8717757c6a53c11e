// Vecchia's likelihood, its gradient and its information: the sum over targets of log N(y_i; b'y_n, f), with
// conditioning sets that come before their targets in an ordering. If they may contain any other point, it is the
// objective of LOO-k. The methods differ in nothing else. See conditional/cpu/vecchia_sums.h for the kernel and its
// derivation.
#pragma once

#include <vector>

#include "base/run_context.h"
#include "conditional/problem.h"
#include "covariance/covariance.h"

namespace neargp {

// Sums for C columns, response first, and p covariance parameters (covariance.h). With r = (1, -beta), the log
// likelihood at trend coefficients beta is -(n log 2 pi + log_det + r' gram r)/2. Its gradient is -(d_log_det + r'
// d_gram r)/2.
struct LikelihoodSums {
  double log_det = 0.0;
  std::vector<double> gram;         // C x C
  std::vector<double> d_log_det;    // p
  std::vector<double> d_gram;       // p x C x C
  std::vector<double> information;  // p x p, expected, of the covariance parameters
  Index failed = -1;                // row of the first singular covariance matrix, or -1
};

// Sums over all columns.
LikelihoodSums vecchia_sums(const LocalProblem& problem, const Covariance& covariance, bool information,
                            const RunContext& context);

struct ObjectiveGradient {
  double value = 0.0;
  std::vector<double> gradient;
  Index failed = -1;
};

// The log density at beta and its gradient, by the adjoint.
ObjectiveGradient conditional_gradient(LocalProblem& problem, const Covariance& covariance,
                                       const std::vector<double>& beta, const RunContext& context);

}  // namespace neargp
