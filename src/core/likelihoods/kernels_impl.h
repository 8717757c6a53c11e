// Fills the table of kernels for packs of NEARGP_LANES. Included once by each instruction set's translation unit,
// after the compiler has been told the target.
#pragma once

#include "likelihoods/beta.h"
#include "likelihoods/binomial_cloglog.h"
#include "likelihoods/binomial_logit.h"
#include "likelihoods/binomial_probit.h"
#include "likelihoods/expectation.h"
#include "likelihoods/gamma.h"
#include "likelihoods/gaussian.h"
#include "likelihoods/kernels.h"
#include "likelihoods/negative_binomial.h"
#include "likelihoods/poisson.h"
#include "likelihoods/student_t.h"

namespace neargp {

template <int Lanes>
struct LikelihoodKernelsOf {
  using V = typename Pack<Lanes>::Real;

  static void expectations(ResponseFamily family, const double* parameters, const Observations& observations,
                           const double* mean, const double* variance, const ExpectationOutput& out, Index first,
                           Index last, double* sums) {
    const auto run = [&](auto loop) { loop.run(first, last, sums); };
    switch (family) {
      case ResponseFamily::gaussian:
        return run(ExpectationLoop<V, GaussianResponse<V>>(parameters, observations, mean, variance, out));
      case ResponseFamily::student_t:
        return run(ExpectationLoop<V, StudentTResponse<V>>(parameters, observations, mean, variance, out));
      case ResponseFamily::binomial_logit:
        return run(ExpectationLoop<V, BinomialLogitResponse<V>>(parameters, observations, mean, variance, out));
      case ResponseFamily::binomial_probit:
        return run(ExpectationLoop<V, BinomialProbitResponse<V>>(parameters, observations, mean, variance, out));
      case ResponseFamily::binomial_cloglog:
        return run(ExpectationLoop<V, BinomialCloglogResponse<V>>(parameters, observations, mean, variance, out));
      case ResponseFamily::poisson:
        return run(ExpectationLoop<V, PoissonResponse<V>>(parameters, observations, mean, variance, out));
      case ResponseFamily::negative_binomial:
        return run(ExpectationLoop<V, NegativeBinomialResponse<V>>(parameters, observations, mean, variance, out));
      case ResponseFamily::gamma:
        return run(ExpectationLoop<V, GammaResponse<V>>(parameters, observations, mean, variance, out));
      case ResponseFamily::beta:
        return run(ExpectationLoop<V, BetaResponse<V>>(parameters, observations, mean, variance, out));
    }
  }

  static constexpr LikelihoodKernels table() { return {expectations}; }
};

}  // namespace neargp
