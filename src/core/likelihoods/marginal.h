// The density of a response whose linear predictor is normal: log E p(y | eta), eta ~ N(mean, variance), with its
// derivatives. (likelihood.h has E log p instead.)
//
// The derivatives are expectations under the posterior of eta given y, which is proportional to p(y | eta) times the
// normal density:
//
//   d / d mean      = E (log p)'
//   d / d variance  = 1/2 E [(log p)'^2 + (log p)'']
//   d / d parameter = E d log p / d parameter
//
// since a derivative in the mean of a normal density is one in eta, and that in its variance half the second one.
#pragma once

#include "likelihoods/likelihood.h"

namespace neargp {

// Weights are those of likelihood.h; a datum that stands for several equal and independent observations has a count.
struct MarginalInput {
  Observations observations;
  const double* mean = nullptr;
  const double* variance = nullptr;
  const double* count = nullptr;  // null: one each
};

// Values are NaN where the integral did not settle, see marginal_quadrature.cpp.
struct MarginalDensity {
  std::vector<double> value, d_mean, d_variance;  // of each datum
  std::vector<double> d_log_parameters;           // of the sum of count * value
};

// Without `parameters` the last derivatives are left out.
MarginalDensity marginal_density(const Likelihood& likelihood, const MarginalInput& input, bool parameters,
                                 const RunContext& context);

// The same of rows that are scored: a weight that multiplies the log density (weights_count()) is the number of equal
// observations that the row stands for. Value and derivatives of a row are those of all of them, where
// marginal_density() has log E p^weight, of observations that share one linear predictor and whose product is one
// response.
MarginalDensity density_of_rows(const Likelihood& likelihood, const MarginalInput& input, bool parameters,
                                const RunContext& context);

// The gamma variables of student_t, which is normal with noise variance scale^2 / (weight G) given a gamma variable G:
// for each datum the value omega with which eta, given y, has the mean that it has with G random. With V = variance +
// scale^2 / (weight G) the former moves eta by variance * residual / V(omega), the latter by the mean of that given y,
// whence
//
//   1 / V(omega) = E [1 / V | y],      omega = E [1 / V | y] / E [1 / (G V) | y].
//
// Without variance omega is the mean of G given y, (df + 1) / (df + weight residual^2 / scale^2).
std::vector<double> matched_omega(const Likelihood& likelihood, const MarginalInput& input);

namespace detail {

// Over the data first .. last-1: fills these of the result and, unless null, the derivatives in the parameters.
// The normal density N(y; mean, variance + v), v the noise's variance over the weight, of a gaussian response:
void marginal_of_gaussian(const Likelihood& likelihood, const MarginalInput& input, Index first, Index last,
                          MarginalDensity& result, double* d_log_parameters);
// and also that of a censored one, in closed form:
void marginal_of_censored_gaussian(const Likelihood& likelihood, const MarginalInput& input, Index first, Index last,
                                   MarginalDensity& result, double* d_log_parameters);
// by the trapezoidal rule, for all other families but student_t:
void marginal_by_quadrature(const Likelihood& likelihood, const MarginalInput& input, Index first, Index last,
                            MarginalDensity& result, double* d_log_parameters);
// and for student_t as a mixture of normal densities.
void marginal_of_student_t(const Likelihood& likelihood, const MarginalInput& input, Index first, Index last,
                           MarginalDensity& result, double* d_log_parameters);

}  // namespace detail

}  // namespace neargp
