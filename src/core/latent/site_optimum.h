// The best pseudo-observation of one datum at a time. Those of the other data stay as they are, and give eta_i a normal
// distribution, the cavity of precision c = 1 / s_i - W_i. The marginal N(m, s) of eta_i then maximises
//
//   E log p(y_i | eta_i) + log sd - c (m^2 + s) / 2 + t m.
//
// Here s is the sum of sd^2 and of the variance given the nodes. The datum whose W_i rises most steeply as s_i grows
// damps natural-gradient steps. An example is a censored datum whose noise is far below the variation of the process.
// Steps by data are not damped.
#pragma once

#include <vector>

#include "likelihoods/likelihoods.h"

namespace neargp {

// For each datum: marginals N(linear predictor, variance) with the part of the variance that no node explains, and
// pseudo-observations.
struct SiteMarginals {
  std::vector<double> linear_predictor, variance, given_nodes, precision, natural;
};

// The number of natural-gradient steps after which one that is too long is replaced by these.
constexpr int patience_with_steps = 40;

struct SiteOptimum {
  std::vector<double> precision, natural;
};

SiteOptimum site_optimum(const Likelihoods& likelihood, const Observations& observations, const SiteMarginals& at,
                         const RunContext& context);

}  // namespace neargp
