// The expectations of response families as a table of functions, one table per instruction set.
#pragma once

#include "likelihoods/likelihood.h"

namespace neargp {

struct LikelihoodKernels {
  // Covers the data first .. last-1; adds the sum of values, then those of d_parameters, to `sums`.
  void (*expectations)(const Likelihood& likelihood, const Observations& observations, const double* mean,
                       const double* variance, const ExpectationOutput& out, Index first, Index last, double* sums);
};

// The table of the instruction set in use (simd/instruction_set.h).
const LikelihoodKernels& likelihood_kernels();

}  // namespace neargp
