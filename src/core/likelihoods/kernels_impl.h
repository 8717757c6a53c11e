// Fills the table of kernels for packs of NEARGP_LANES. Included once by each instruction set's translation unit,
// after the pragma that sets the target.
#pragma once

#include "likelihoods/expectation.h"
#include "likelihoods/family_structs.h"
#include "likelihoods/kernels.h"

namespace neargp {

template <int Lanes>
struct LikelihoodKernelsOf {
  using V = typename Pack<Lanes>::Real;

  static void expectations(const Likelihood& likelihood, const Observations& observations, const double* mean,
                           const double* variance, const ExpectationOutput& out, Index first, Index last,
                           double* sums) {
    const auto run = [&](auto loop) { loop.run(first, last, sums); };
    switch (likelihood.family) {
#define NEARGP_FAMILY_CASE(name, Response) \
  case ResponseFamily::name:               \
    return run(ExpectationLoop<V, Response<V>>(likelihood.parameters, observations, mean, variance, out));
      NEARGP_RESPONSE_FAMILIES(NEARGP_FAMILY_CASE)
#undef NEARGP_FAMILY_CASE
    }
  }

  static constexpr LikelihoodKernels table() { return {expectations}; }
};

}  // namespace neargp
