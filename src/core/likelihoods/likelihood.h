// Response families: the log density of a response given the linear predictor eta, and its expectation under a normal
// eta. A Gaussian approximation of a posterior needs nothing else from the data.
#pragma once

#include <string>
#include <vector>

#include "base/run_context.h"
#include "base/types.h"
#include "likelihoods/families.h"

namespace neargp {

// Finds a family by the names in families.h.
ResponseFamily response_family_from_name(const std::string& name);

// Parameters on the natural scale, all greater than 0. The family determines how many; ordered categories take one
// parameter less than there are thresholds.
// `by_datum`: each datum has parameters of its own, which follow those of the datum before.
struct Likelihood {
  ResponseFamily family = ResponseFamily::gaussian;
  std::vector<double> parameters;
  bool by_datum = false;

  // How many parameters a datum has, of n data.
  std::size_t kinds(Index n) const { return by_datum && n > 0 ? parameters.size() / n : parameters.size(); }
  // The position in `parameters` of parameter a of datum i, if there are `kinds`.
  std::size_t place(Index i, std::size_t a, std::size_t kinds) const { return by_datum ? i * kinds + a : a; }
  // With parameter a, of every datum, multiplied by a factor.
  Likelihood with_parameter_times(std::size_t a, std::size_t kinds, double factor) const;
};

// Whether a weight multiplies the log density, as if the datum were that many. Otherwise the weight divides the
// dispersion.
bool weights_count(ResponseFamily family);

// Throws an Error unless their number suits the family and all are finite and greater than 0. `n`: the number of data.
void check_parameters(const Likelihood& likelihood, Index n = 1);

// The caller checks that y is in the support of the family. Null `trials` or `weights` mean that all are 1. For
// censored_gaussian `y` is the lower and `trials` the upper limit. A limit beyond +-1e300 is infinite.
struct Observations {
  Index n = 0;
  const double* y = nullptr;
  const double* trials = nullptr;
  const double* weights = nullptr;
  bool without_constant = false;  // leave out the constant of load_without_constant() (terms.h)
};

// Per datum, with eta ~ N(mean, variance). Null: not wanted.
//   `value`      E log p.
//   `slope`      E d log p / d eta      = d value / d mean.
//   `curvature`  -E d2 log p / d eta2   = -2 d value / d variance; negative where log p is not concave.
//   `third`      E d3 log p / d eta3    = 2 d slope / d variance.
//   `fourth`     E d4 log p / d eta4    = -2 d curvature / d variance.
// Expectations of smooth log p in closed form leave `third` and `fourth` at 0. Points leave `fourth` at 0.
struct ExpectationOutput {
  double* value = nullptr;
  double* slope = nullptr;
  double* curvature = nullptr;
  double* third = nullptr;
  double* fourth = nullptr;
};

// Returns the sum of the values, which is the same for any number of threads. A null `variance` evaluates at the points
// eta = mean. `d_parameters`, unless null, receives the derivatives of the sum in the logarithms of the parameters, in
// the order of `parameters`.
double expectations(const Likelihood& likelihood, const Observations& observations, const double* mean,
                    const double* variance, const ExpectationOutput& out, double* d_parameters,
                    const RunContext& context);

// log p(y_i | eta_i), weights included.
std::vector<double> log_density(const Likelihood& likelihood, const Observations& observations, const double* eta,
                                const RunContext& context);

// Turns curvatures at points into the precisions of pseudo-observations from which a search begins. Where log p is not
// concave, the precision is small instead of negative. Where log p is linear but for kinks, no point has curvature. The
// mean of the squared slopes, which is the information, then stands for it.
void make_starting_precision(const double* slope, double* curvature, Index n);

}  // namespace neargp
