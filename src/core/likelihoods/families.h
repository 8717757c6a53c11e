// The response families by their names. To add a family, write its struct in a header (terms.h describes the contract)
// and include the header in family_structs.h. Then add its line to the list below and its distribution to this comment.
// The enumeration, the names, the numbers of parameters and the choice of kernels follow from the list.
//
// Each family with its parameters, and the distribution of a response given eta:
//
//   `gaussian(variance)`          N(eta, variance / weight).
//   `student_t(scale, df)`        eta + scale / sqrt(weight) t_df.
//   `binomial_<link>`             Binomial(trials, p) with p = logistic(eta), Phi(eta) or 1 - exp(-exp(eta)).
//   `poisson`                     Poisson with mean exp(eta).
//   `negative_binomial(size)`     Negative binomial with mean exp(eta) and variance mean + mean^2 / size.
//   `gamma(shape)`                Gamma with shape `shape * weight` and mean exp(eta).
//   `beta(precision)`             Beta with mean logistic(eta) and precision `precision * weight` (beta.h).
//   `truncated_poisson`           Poisson with mean exp(eta), given that it is not 0.
//   `truncated_nbinom2(size)`     Like negative_binomial, given that it is not 0.
//   `tweedie(dispersion, power)`  Mean mu = exp(eta), variance dispersion / weight mu^power, 1 < power < 2.
//   `asymmetric_laplace(scale, tau)`  Its quantile tau is eta (asymmetric_laplace.h).
//   `zi_poisson(zi)`              0 with probability zi, else Poisson with mean exp(eta).
//   `zi_nbinom2(size, zi)`        0 with probability zi, else like negative_binomial.
//   `betabinomial(precision)`     Binomial(trials, p) with p ~ Beta of mean logistic(eta) and this precision.
//   `ordinal_<link>(gaps)`        Category k with P(Y <= k) = logistic(t_k - eta) or Phi(t_k - eta), t_1 = 0, gaps
//                                 t_(k+1) - t_k.
//   `nbinom1(dispersion)`         Negative binomial with mean exp(eta) and variance (1 + dispersion) mean.
//   `gengamma(shape, power)`      Mean exp(eta). A power of y is gamma of this shape (gengamma.h).
//   `censored_gaussian(sd)`       N(eta, sd^2 / weight), known to lie between two ends.
//
// Where it is not written above, a weight multiplies the log density (frequency weights).
#pragma once

// FAMILY(name, struct template) for each.
#define NEARGP_RESPONSE_FAMILIES(FAMILY)                \
  FAMILY(gaussian, GaussianResponse)                    \
  FAMILY(student_t, StudentTResponse)                   \
  FAMILY(binomial_logit, BinomialLogitResponse)         \
  FAMILY(binomial_probit, BinomialProbitResponse)       \
  FAMILY(binomial_cloglog, BinomialCloglogResponse)     \
  FAMILY(poisson, PoissonResponse)                      \
  FAMILY(negative_binomial, NegativeBinomialResponse)   \
  FAMILY(gamma, GammaResponse)                          \
  FAMILY(beta, BetaResponse)                            \
  FAMILY(truncated_poisson, TruncatedPoissonResponse)   \
  FAMILY(truncated_nbinom2, TruncatedNbinom2Response)   \
  FAMILY(tweedie, TweedieResponse)                      \
  FAMILY(zi_poisson, ZiPoissonResponse)                 \
  FAMILY(zi_nbinom2, ZiNbinom2Response)                 \
  FAMILY(betabinomial, BetabinomialResponse)            \
  FAMILY(ordinal_logit, OrdinalLogitResponse)           \
  FAMILY(ordinal_probit, OrdinalProbitResponse)         \
  FAMILY(nbinom1, Nbinom1Response)                      \
  FAMILY(gengamma, GengammaResponse)                    \
  FAMILY(asymmetric_laplace, AsymmetricLaplaceResponse) \
  FAMILY(censored_gaussian, CensoredGaussianResponse)

namespace neargp {

enum class ResponseFamily {
#define NEARGP_FAMILY_NAME(name, Response) name,
  NEARGP_RESPONSE_FAMILIES(NEARGP_FAMILY_NAME)
#undef NEARGP_FAMILY_NAME
};

}  // namespace neargp
