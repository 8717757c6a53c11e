// The response families by their names. A new one is a header of its own (terms.h has the contract of its struct), its
// include in family_structs.h, and here its line in the list and its distribution; the enumeration, names, numbers of
// parameters and the kernels' choice follow from the list.
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
//   truncated_poisson          Poisson(exp(eta)) given that it is not 0
//   truncated_nbinom2 (size)   negative_binomial given that it is not 0
//   tweedie (dispersion, power)  mean mu = exp(eta), variance dispersion / weight mu^power, 1 < power < 2
//   zi_poisson (zi)            0 with probability zi, else Poisson(exp(eta))
//   zi_nbinom2 (size, zi)      0 with probability zi, else negative_binomial
//   betabinomial (precision)   Binomial(trials, p), p ~ Beta(mean precision, (1 - mean) precision), mean =
//   logistic(eta) ordinal_<link> (gaps)      category k where P(Y <= k) = logistic(t_k - eta), Phi(t_k - eta); t_1 = 0,
//   gaps t_(k+1) - t_k censored_gaussian (sd)     N(eta, sd^2 / weight), known to lie between two ends
//
// Where it is not written above, a weight multiplies the log density (frequency weights).
#pragma once

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
  FAMILY(beta, BetaResponse)                          \
  FAMILY(truncated_poisson, TruncatedPoissonResponse) \
  FAMILY(truncated_nbinom2, TruncatedNbinom2Response) \
  FAMILY(tweedie, TweedieResponse)                    \
  FAMILY(zi_poisson, ZiPoissonResponse)               \
  FAMILY(zi_nbinom2, ZiNbinom2Response)               \
  FAMILY(betabinomial, BetabinomialResponse)          \
  FAMILY(ordinal_logit, OrdinalLogitResponse)         \
  FAMILY(ordinal_probit, OrdinalProbitResponse)       \
  FAMILY(censored_gaussian, CensoredGaussianResponse)

namespace neargp {

enum class ResponseFamily {
#define NEARGP_FAMILY_NAME(name, Response) name,
  NEARGP_RESPONSE_FAMILIES(NEARGP_FAMILY_NAME)
#undef NEARGP_FAMILY_NAME
};

}  // namespace neargp
