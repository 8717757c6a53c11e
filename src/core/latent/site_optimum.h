// The best pseudo-observation of one datum at a time, the others' held. Given these, eta_i is normal (the cavity, of
// precision c = 1 / s_i - W_i), and the marginal N(m, s) of eta_i maximises
//   E log p(y_i | eta_i) + log sd - c (m^2 + s) / 2 + t m,   s = sd^2 beside the variance given the nodes.
// Natural-gradient steps are damped by the datum whose W_i rises most steeply as s_i grows, such as a limit that the
// response is known to be beyond, with noise that is far below the field's variation. These ones are not.
#pragma once

#include <vector>

#include "likelihoods/likelihood.h"

namespace neargp {

// By datum: marginals N(linear predictor, variance) with the part of the variance that no node explains, and
// pseudo-observations.
struct SiteMarginals {
  std::vector<double> linear_predictor, variance, given_nodes, precision, natural;
};

// Natural-gradient steps after which one that is too long calls for these.
constexpr int patience_with_steps = 40;

struct SiteOptimum {
  std::vector<double> precision, natural;
};

SiteOptimum site_optimum(const Likelihood& likelihood, const Observations& observations, const SiteMarginals& at,
                         const RunContext& context);

}  // namespace neargp
