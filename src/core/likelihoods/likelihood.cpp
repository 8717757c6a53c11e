#include "likelihoods/likelihood.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/parallel_for.h"

namespace neargp {

namespace {

constexpr const char* family_names[] = {"gaussian", "student_t", "binomial_logit",    "binomial_probit", "binomial_cloglog",
                                        "poisson",  "negative_binomial", "gamma", "beta"};

constexpr Index chunk_size = 1024;

struct Terms {
  double value = 0.0, slope = 0.0, curvature = 0.0, third = 0.0, d_parameter = 0.0;
};

Terms gaussian_terms(double noise, double y, double mean, double variance) {
  const double residual = y - mean;
  const double square = residual * residual + variance;
  return {-0.5 * (std::log(2.0 * M_PI * noise) + square / noise), residual / noise, 1.0 / noise, 0.0,
          0.5 * (square / noise - 1.0)};
}

Terms poisson_terms(double y, double mean, double variance) {
  const double rate = std::exp(std::min(mean + 0.5 * variance, 650.0));
  return {y * mean - rate - std::lgamma(y + 1.0), y - rate, rate, -rate, 0.0};
}

Terms logit_point(double y, double trials, double eta) {
  const double softplus = std::max(eta, 0.0) + std::log1p(std::exp(-std::abs(eta)));
  const double p = 1.0 / (1.0 + std::exp(-eta));
  const double choose = std::lgamma(trials + 1.0) - std::lgamma(y + 1.0) - std::lgamma(trials - y + 1.0);
  return {choose + y * eta - trials * softplus, y - trials * p, trials * p * (1.0 - p),
          -trials * p * (1.0 - p) * (1.0 - 2.0 * p), 0.0};
}

// The trapezoidal rule, whose error for a function with poles at distance d from the real axis is exp(-2 pi d / step).
Terms logit_terms(double y, double trials, double mean, double variance) {
  if (variance <= 0.0) return logit_point(y, trials, mean);
  const double sd = std::sqrt(variance);
  const double step = std::min(0.8, 1.1 / sd);
  const int half = int(7.0 / step);
  Terms sum;
  for (int q = -half; q <= half; ++q) {
    const double x = q * step;
    const double weight = step * std::exp(-0.5 * x * x) / std::sqrt(2.0 * M_PI);
    const Terms node = logit_point(y, trials, mean + sd * x);
    sum.value += weight * node.value;
    sum.slope += weight * node.slope;
    sum.curvature += weight * node.curvature;
  }
  return sum;
}

Terms terms_of(const Likelihood& likelihood, const Observations& data, Index i, double mean, double variance) {
  const double weight = data.weights ? data.weights[i] : 1.0;
  if (likelihood.family == ResponseFamily::gaussian)
    return gaussian_terms(likelihood.parameters[0] / weight, data.y[i], mean, variance);
  Terms terms = likelihood.family == ResponseFamily::poisson
                    ? poisson_terms(data.y[i], mean, variance)
                    : logit_terms(data.y[i], data.trials ? data.trials[i] : 1.0, mean, variance);
  terms.value *= weight;
  terms.slope *= weight;
  terms.curvature *= weight;
  terms.third *= weight;
  return terms;
}

void store(const Terms& terms, Index i, const ExpectationOutput& out) {
  if (out.value) out.value[i] = terms.value;
  if (out.slope) out.slope[i] = terms.slope;
  if (out.curvature) out.curvature[i] = terms.curvature;
  if (out.third) out.third[i] = terms.third;
}

}  // namespace

ResponseFamily response_family_from_name(const std::string& name) {
  const auto* found = std::find(std::begin(family_names), std::end(family_names), name);
  if (found == std::end(family_names)) throw Error("There is no response family '" + name + "'.");
  return ResponseFamily(found - std::begin(family_names));
}

int parameter_count(ResponseFamily family) {
  switch (family) {
    case ResponseFamily::student_t: return 2;
    case ResponseFamily::gaussian:
    case ResponseFamily::negative_binomial:
    case ResponseFamily::gamma:
    case ResponseFamily::beta: return 1;
    default: return 0;
  }
}

double expectations(const Likelihood& likelihood, const Observations& observations, const double* mean,
                    const double* variance, const ExpectationOutput& out, double* d_parameters,
                    const RunContext& context) {
  if (likelihood.family != ResponseFamily::gaussian && likelihood.family != ResponseFamily::poisson &&
      likelihood.family != ResponseFamily::binomial_logit)
    throw Error(std::string("The core cannot evaluate the family ") + family_names[int(likelihood.family)] + " yet.");
  const Index chunks = (observations.n + chunk_size - 1) / chunk_size;
  std::vector<Terms> totals(static_cast<std::size_t>(chunks));
  parallel_for(context, chunks, [&](Index chunk) {
    const Index last = std::min(observations.n, (chunk + 1) * chunk_size);
    for (Index i = chunk * chunk_size; i < last; ++i) {
      const Terms terms = terms_of(likelihood, observations, i, mean[i], variance ? variance[i] : 0.0);
      store(terms, i, out);
      totals[chunk].value += terms.value;
      totals[chunk].d_parameter += terms.d_parameter;
    }
  });
  Terms total;
  for (const Terms& part : totals) {
    total.value += part.value;
    total.d_parameter += part.d_parameter;
  }
  if (d_parameters && parameter_count(likelihood.family)) d_parameters[0] = total.d_parameter;
  return total.value;
}

std::vector<double> log_density(const Likelihood& likelihood, const Observations& observations, const double* eta,
                                const RunContext& context) {
  std::vector<double> value(static_cast<std::size_t>(observations.n));
  ExpectationOutput out;
  out.value = value.data();
  expectations(likelihood, observations, eta, nullptr, out, nullptr, context);
  return value;
}

}  // namespace neargp
