// The expectations of response families as a table of functions, one table per instruction set.
#pragma once

#include "likelihoods/likelihood.h"

namespace neargp {

struct LikelihoodKernels {
  const char* name;

  // Over the data first .. last-1; adds the sum of values, then those of d_parameters, to `sums`.
  void (*expectations)(ResponseFamily family, const double* parameters, const Observations& observations,
                       const double* mean, const double* variance, const ExpectationOutput& out, Index first,
                       Index last, double* sums);
};

// Of the instruction set in use (conditional/cpu/kernels.h).
const LikelihoodKernels& likelihood_kernels();

}  // namespace neargp
