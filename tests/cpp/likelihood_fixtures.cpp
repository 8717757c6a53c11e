#include "likelihood_fixtures.h"

#include <cmath>

#include "geometry_fixtures.h"

using neargp::Likelihood;
using neargp::ResponseFamily;

namespace fixtures {

std::vector<FamilyCase> response_families() {
  const std::vector<Response> trials = {{0, 1}, {1, 1}, {0, 9}, {7, 9}, {40, 40}};
  const std::vector<Response> counts = {{0, 1}, {1, 1}, {3, 1}, {60, 1}};
  return {
      {"gaussian", {ResponseFamily::gaussian, {0.7}}, {{-1, 1}, {2, 1}}, false},
      {"student_t", {ResponseFamily::student_t, {0.8, 4.0}}, {{-1, 1}, {6, 1}}, false},
      {"student_t, heavy", {ResponseFamily::student_t, {1.5, 1.2}}, {{-1, 1}, {20, 1}}, false},
      {"binomial_logit", {ResponseFamily::binomial_logit, {}}, trials, true},
      {"binomial_probit", {ResponseFamily::binomial_probit, {}}, trials, true},
      {"binomial_cloglog", {ResponseFamily::binomial_cloglog, {}}, trials, true},
      {"poisson", {ResponseFamily::poisson, {}}, counts, true},
      {"negative_binomial", {ResponseFamily::negative_binomial, {1.7}}, counts, true},
      {"negative_binomial, clustered", {ResponseFamily::negative_binomial, {0.05}}, counts, true},
      {"negative_binomial, nearly Poisson", {ResponseFamily::negative_binomial, {400.0}}, counts, true},
      {"gamma", {ResponseFamily::gamma, {2.3}}, {{0.01, 1}, {1, 1}, {30, 1}}, false},
      {"gamma, skewed", {ResponseFamily::gamma, {0.2}}, {{1e-6, 1}, {1, 1}}, false},
      {"beta", {ResponseFamily::beta, {5.0}}, {{0.01, 1}, {0.4, 1}, {0.98, 1}}, false},
      {"beta, precise", {ResponseFamily::beta, {300.0}}, {{0.2, 1}, {0.9, 1}}, false},
      {"beta, at the ends", {ResponseFamily::beta, {0.3}}, {{1e-5, 1}, {0.5, 1}}, false},
  };
}

namespace {

using Real = long double;

Real log1p_exp(Real x) { return x > 0 ? x + std::log1p(std::exp(-x)) : std::log1p(std::exp(x)); }

Real log_choose(Real n, Real y) { return std::lgamma(n + 1) - std::lgamma(y + 1) - std::lgamma(n - y + 1); }

// 0 log 0 = 0
Real times(Real count, Real log_p) { return count == 0 ? 0 : count * log_p; }

Real log_normal_distribution(Real x) { return std::log(0.5L * std::erfc(-x / std::sqrt(2.0L))); }

Real binomial(ResponseFamily family, const Response& r, Real eta) {
  Real success = 0, failure = 0;
  if (family == ResponseFamily::binomial_logit) {
    success = -log1p_exp(-eta);
    failure = -log1p_exp(eta);
  } else if (family == ResponseFamily::binomial_probit) {
    success = log_normal_distribution(eta);
    failure = log_normal_distribution(-eta);
  } else {
    success = std::log(-std::expm1(-std::exp(eta)));
    failure = -std::exp(eta);
  }
  return log_choose(r.trials, r.y) + times(r.y, success) + times(r.trials - r.y, failure);
}

}  // namespace

long double reference_log_density(const Likelihood& likelihood, const Response& r, double at) {
  const Real pi = std::acos(-1.0L), y = r.y, eta = at;
  const Real first = likelihood.parameters.empty() ? 0.0 : likelihood.parameters[0];
  switch (likelihood.family) {
    case ResponseFamily::gaussian: return -0.5L * (std::log(2 * pi * first) + (y - eta) * (y - eta) / first);
    case ResponseFamily::student_t: {
      const Real df = likelihood.parameters[1], z = (y - eta) / first;
      return std::lgamma((df + 1) / 2) - std::lgamma(df / 2) - 0.5L * std::log(pi * df) - std::log(first) -
             0.5L * (df + 1) * std::log1p(z * z / df);
    }
    case ResponseFamily::poisson: return y * eta - std::exp(eta) - std::lgamma(y + 1);
    case ResponseFamily::negative_binomial: {
      const Real psi = eta - std::log(first);
      return std::lgamma(y + first) - std::lgamma(first) - std::lgamma(y + 1) + y * psi - (y + first) * log1p_exp(psi);
    }
    case ResponseFamily::gamma:
      return first * (std::log(first) - eta - y * std::exp(-eta)) - std::lgamma(first) + (first - 1) * std::log(y);
    case ResponseFamily::beta: {
      const Real mean = 1 / (1 + std::exp(-eta)), rest = 1 / (1 + std::exp(eta));
      return std::lgamma(first) - std::lgamma(mean * first) - std::lgamma(rest * first) +
             (mean * first - 1) * std::log(y) + (rest * first - 1) * std::log1p(-y);
    }
    default: return binomial(likelihood.family, r, eta);
  }
}

double reference_expectation(const Likelihood& likelihood, const Response& response, double mean, double variance) {
  const int half = 4000;
  const double reach = 9.0 + 2.0 * std::sqrt(variance);
  Real sum = 0, total = 0;
  for (int q = -half; q <= half; ++q) {
    const Real x = reach * q / half;
    const Real weight = std::exp(-0.5L * x * x);
    total += weight;
    sum += weight * reference_log_density(likelihood, response, double(mean + std::sqrt(variance) * x));
  }
  return double(sum / total);
}

Grid::Grid(const FamilyCase& family, const std::vector<double>& means) {
  for (const Response& response : family.responses)
    for (const double m : means) {
      responses.push_back(response);
      y.push_back(response.y);
      trials.push_back(response.trials);
      mean.push_back(m);
    }
}

neargp::Observations Grid::observations() const { return {neargp::Index(y.size()), y.data(), trials.data(), nullptr}; }

Expectations expectations_of(const Likelihood& likelihood, const neargp::Observations& observations,
                             const std::vector<double>& mean, const std::vector<double>& variance, int threads) {
  Expectations result;
  const std::size_t n = mean.size();
  result.value.resize(n);
  result.slope.resize(n);
  result.curvature.resize(n);
  if (variance.empty()) result.third.resize(n);
  result.d_parameters.resize(likelihood.parameters.size());
  const neargp::ExpectationOutput out{result.value.data(), result.slope.data(), result.curvature.data(),
                                      variance.empty() ? result.third.data() : nullptr};
  const double* variances = variance.empty() ? nullptr : variance.data();
  result.total = neargp::expectations(likelihood, observations, mean.data(), variances, out, result.d_parameters.data(),
                                      with_threads(threads));
  return result;
}

}  // namespace fixtures
