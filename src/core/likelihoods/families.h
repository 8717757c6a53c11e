// The response families by their names. A new one is a header of its own (terms.h has the contract of its struct), and
// here its include, its line in the list and its distribution; the enumeration, names, numbers of parameters and the
// kernels' choice follow from the list.
//
// Each family with its parameters, and the distribution of a response given eta:
//
//   gaussian (variance)        N(eta, variance / weight)
//   student_t (scale, df)      eta + scale / sqrt(weight) t_df
//   binomial_<link>            Binomial(trials, p), p = logistic(eta), Phi(eta), 1 - exp(-exp(eta))
//   poisson                    Poisson(mean exp(eta))
//   negative_binomial (size)   mean exp(eta), variance mean + mean^2 / size
//   gamma (shape)              Gamma(shape weight, mean exp(eta))
//   beta (precision)           Beta(mean precision weight, (1 - mean) precision weight), mean = logistic(eta)
//
// Where it is not written above, a weight multiplies the log density (frequency weights).
#pragma once

#include "likelihoods/beta.h"
#include "likelihoods/binomial_cloglog.h"
#include "likelihoods/binomial_logit.h"
#include "likelihoods/binomial_probit.h"
#include "likelihoods/gamma.h"
#include "likelihoods/gaussian.h"
#include "likelihoods/negative_binomial.h"
#include "likelihoods/poisson.h"
#include "likelihoods/student_t.h"

// FAMILY(name, struct template) for each.
#define NEARGP_RESPONSE_FAMILIES(FAMILY)              \
  FAMILY(gaussian, GaussianResponse)                  \
  FAMILY(student_t, StudentTResponse)                 \
  FAMILY(binomial_logit, BinomialLogitResponse)       \
  FAMILY(binomial_probit, BinomialProbitResponse)     \
  FAMILY(binomial_cloglog, BinomialCloglogResponse)   \
  FAMILY(poisson, PoissonResponse)                    \
  FAMILY(negative_binomial, NegativeBinomialResponse) \
  FAMILY(gamma, GammaResponse)                        \
  FAMILY(beta, BetaResponse)

namespace neargp {

enum class ResponseFamily {
#define NEARGP_FAMILY_NAME(name, Response) name,
  NEARGP_RESPONSE_FAMILIES(NEARGP_FAMILY_NAME)
#undef NEARGP_FAMILY_NAME
};

}  // namespace neargp
