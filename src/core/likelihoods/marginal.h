// The density of a response whose linear predictor is normal: log E p(y | eta), eta ~ N(mean, variance), with its
// derivatives. (likelihood.h computes E log p instead.)
//
// The derivatives are expectations under the posterior of eta given y, which is proportional to p(y | eta) times the
// normal density. The derivative of a normal density in its mean is minus the derivative in eta. Its derivative in the
// variance is half the second derivative in eta. Integration by parts then gives, with l = log p,
//
//   d_mean = E l',    d_variance = E [l'^2 + l''] / 2,    d_log_parameters = E dl / d log parameter.
#pragma once

#include "likelihoods/likelihood.h"

namespace neargp {

// The weights are those of likelihood.h. `count` is the number of equal and independent observations that a datum
// stands for.
struct MarginalInput {
  Observations observations;
  const double* mean = nullptr;
  const double* variance = nullptr;
  const double* count = nullptr;  // null: one each
};

// A value is NaN where the integral did not converge, see marginal_quadrature.cpp.
struct MarginalDensity {
  std::vector<double> value, d_mean, d_variance;  // of each datum
  std::vector<double> d_log_parameters;           // of the sum of count * value
};

// Without `parameters`, d_log_parameters is empty.
MarginalDensity marginal_density(const Likelihood& likelihood, const MarginalInput& input, bool parameters,
                                 const RunContext& context);

// The same for rows that are scored. Here a weight that multiplies the log density (weights_count()) is the number of
// equal and independent observations that a row stands for. Value and derivatives of the row are the sums over these
// observations. marginal_density() returns log E p^weight instead: there the observations share one linear predictor.
MarginalDensity density_of_rows(const Likelihood& likelihood, const MarginalInput& input, bool parameters,
                                const RunContext& context);

// Values omega for the gamma variables G of student_t, which is normal with noise variance scale^2 / (weight G) given
// G. With G fixed at the omega of a datum, the mean of eta given y is the same as with G random. A fixed G moves the
// mean of eta by variance * residual / V, where V = variance + scale^2 / (weight G). A random G moves it by the mean of
// this given y. Hence
//
//   1 / V(omega) = E [1 / V | y],      omega = E [1 / V | y] / E [1 / (G V) | y].
//
// Without variance, omega is the mean of G given y, which is df + 1 over df + weight residual^2 / scale^2.
std::vector<double> matched_omega(const Likelihood& likelihood, const MarginalInput& input);

namespace detail {

// These functions fill the values of the data first .. last-1 and, unless null, add to the derivatives in the
// parameters. A `gaussian` response uses N(y; mean, variance + v), where v is the variance of the noise over the
// weight.
void marginal_of_gaussian(const Likelihood& likelihood, const MarginalInput& input, Index first, Index last,
                          MarginalDensity& result, double* d_log_parameters);
// A censored response, also in closed form.
void marginal_of_censored_gaussian(const Likelihood& likelihood, const MarginalInput& input, Index first, Index last,
                                   MarginalDensity& result, double* d_log_parameters);
// All families except these and student_t, by the trapezoidal rule.
void marginal_by_quadrature(const Likelihood& likelihood, const MarginalInput& input, Index first, Index last,
                            MarginalDensity& result, double* d_log_parameters);
// A student_t response, as a mixture of normal densities.
void marginal_of_student_t(const Likelihood& likelihood, const MarginalInput& input, Index first, Index last,
                           MarginalDensity& result, double* d_log_parameters);

}  // namespace detail

}  // namespace neargp
