// Response families from R: expectations of the log density, for tests and diagnostics.
#include <Rcpp.h>

#include "base/error.h"
#include "bind_latent.h"
#include "likelihoods/likelihood.h"

// parameters: a vector, or a matrix with a column for each datum. All other vectors are of the length of y or, where
// optional, of length 0. Trials and weights are then all 1, and without variances the log density is taken at points.
// [[Rcpp::export]]
Rcpp::List core_expectations(const std::string& family_name, const Rcpp::NumericVector& parameters,
                             const std::vector<double>& y, const std::vector<double>& trials,
                             const std::vector<double>& weights, const std::vector<double>& mean,
                             const std::vector<double>& variance, const Rcpp::List& context) {
  const auto optional = [&](const std::vector<double>& values) {
    if (!values.empty() && values.size() != y.size()) throw neargp::Error("All vectors need the length of y.");
    return values.empty() ? nullptr : values.data();
  };
  if (mean.size() != y.size()) throw neargp::Error("All vectors need the length of y.");
  const neargp::Likelihood likelihood = to_likelihood(family_name, parameters);
  const neargp::Observations observations{neargp::Index(y.size()), y.data(), optional(trials), optional(weights)};
  Rcpp::NumericVector value(y.size()), slope(y.size()), curvature(y.size()), third(variance.empty() ? y.size() : 0);
  const neargp::ExpectationOutput out{value.begin(), slope.begin(), curvature.begin(),
                                      variance.empty() ? third.begin() : nullptr};
  std::vector<double> d_parameters(parameters.size());
  const double total = neargp::expectations(likelihood, observations, mean.data(), optional(variance), out,
                                            d_parameters.data(), run_context(context));
  return Rcpp::List::create(Rcpp::Named("value") = value, Rcpp::Named("slope") = slope,
                            Rcpp::Named("curvature") = curvature, Rcpp::Named("third") = third,
                            Rcpp::Named("total") = total, Rcpp::Named("d_parameters") = d_parameters);
}
