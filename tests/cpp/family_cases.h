// Every family of responses, with parameters.
#pragma once

#include "likelihoods/likelihood.h"

namespace fixtures {

inline constexpr neargp::ResponseFamily all_families[] = {neargp::ResponseFamily::gaussian,
                                                          neargp::ResponseFamily::student_t,
                                                          neargp::ResponseFamily::binomial_logit,
                                                          neargp::ResponseFamily::binomial_probit,
                                                          neargp::ResponseFamily::binomial_cloglog,
                                                          neargp::ResponseFamily::poisson,
                                                          neargp::ResponseFamily::negative_binomial,
                                                          neargp::ResponseFamily::gamma,
                                                          neargp::ResponseFamily::beta};

inline neargp::Likelihood likelihood_of(neargp::ResponseFamily family) {
  switch (family) {
    case neargp::ResponseFamily::gaussian: return {family, {0.2}};
    case neargp::ResponseFamily::student_t: return {family, {0.4, 5.0}};
    case neargp::ResponseFamily::negative_binomial: return {family, {2.0}};
    case neargp::ResponseFamily::gamma: return {family, {3.0}};
    case neargp::ResponseFamily::beta: return {family, {6.0}};
    default: return {family, {}};
  }
}

}  // namespace fixtures
