// Response families: the density of a response given the linear predictor eta, and its expectation under a normal
// eta, which is all that a Gaussian approximation of a posterior asks of the data.
#pragma once

#include <string>
#include <vector>

#include "base/run_context.h"
#include "base/types.h"
#include "likelihoods/families.h"

namespace neargp {

// Finds a family by the names in families.h.
ResponseFamily response_family_from_name(const std::string& name);

// Parameters on the natural scale, all greater than 0, as many as the family has (ordered categories: one less than
// thresholds).
struct Likelihood {
  ResponseFamily family = ResponseFamily::gaussian;
  std::vector<double> parameters;
};

// Whether a weight multiplies the log density, as if the datum were that many. Else it divides the dispersion.
bool weights_count(ResponseFamily family);

// Throws an Error unless the family has as many and they are finite and greater than 0.
void check_parameters(const Likelihood& likelihood);

// Support of the family is the caller's to check. Null trials or weights: all 1. For censored_gaussian y is the lower
// and trials the upper limit, each beyond 1e300 where there is none.
struct Observations {
  Index n = 0;
  const double* y = nullptr;
  const double* trials = nullptr;
  const double* weights = nullptr;
  bool without_constant = false;  // short of what families load_without_constant() (terms.h)
};

// Per datum, with eta ~ N(mean, variance); null: not wanted.
//   value      E log p
//   slope      E d log p / d eta        = d value / d mean
//   curvature  -E d2 log p / d eta2     = -2 d value / d variance; negative where log p is not concave
//   third      E d3 log p / d eta3   = 2 d slope / d variance
//   fourth     E d4 log p / d eta4   = -2 d curvature / d variance
// Expectations in closed form leave the last two at 0, and so do points the last one.
struct ExpectationOutput {
  double* value = nullptr;
  double* slope = nullptr;
  double* curvature = nullptr;
  double* third = nullptr;
  double* fourth = nullptr;
};

// The sum of the values, the same for any number of threads. variance null: at the points eta = mean.
// d_parameters, unless null: the derivatives of the sum in the logarithms of the parameters.
double expectations(const Likelihood& likelihood, const Observations& observations, const double* mean,
                    const double* variance, const ExpectationOutput& out, double* d_parameters,
                    const RunContext& context);

// log p(y_i | eta_i), weights included.
std::vector<double> log_density(const Likelihood& likelihood, const Observations& observations, const double* eta,
                                const RunContext& context);

}  // namespace neargp
