#include "likelihood_fixtures.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "geometry_fixtures.h"

using neargp::Likelihood;
using neargp::ResponseFamily;

namespace fixtures {

std::vector<FamilyCase> response_families() {
  const std::vector<Response> trials = {{0, 1}, {1, 1}, {0, 9}, {7, 9}, {40, 40}};
  const std::vector<Response> counts = {{0, 1}, {1, 1}, {3, 1}, {60, 1}};
  const std::vector<Response> positive(counts.begin() + 1, counts.end());
  const std::vector<Response> categories = {{1, 1}, {2, 1}, {3, 1}, {4, 1}};
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
      {"truncated_poisson", {ResponseFamily::truncated_poisson, {}}, positive, true, 1},
      {"truncated_nbinom2", {ResponseFamily::truncated_nbinom2, {1.7}}, positive, true, 1},
      {"truncated_nbinom2, clustered", {ResponseFamily::truncated_nbinom2, {0.05}}, positive, true, 1},
      {"truncated_nbinom2, nearly Poisson", {ResponseFamily::truncated_nbinom2, {400.0}}, positive, true, 1},
      {"tweedie", {ResponseFamily::tweedie, {1.3, 1.6}}, {{0, 1}, {0.02, 1}, {1, 1}, {40, 1}}, false},
      {"tweedie, nearly Poisson", {ResponseFamily::tweedie, {0.3, 1.05}}, {{0, 1}, {1.4, 1}, {40, 1}}, false},
      {"tweedie, nearly gamma", {ResponseFamily::tweedie, {4.0, 1.94}}, {{0, 1}, {1e-3, 1}, {40, 1}}, false},
      {"nbinom1", {ResponseFamily::nbinom1, {1.7}}, counts, true},
      {"nbinom1, clustered", {ResponseFamily::nbinom1, {40.0}}, counts, true},
      {"nbinom1, nearly Poisson", {ResponseFamily::nbinom1, {0.01}}, counts, true},
      {"gengamma", {ResponseFamily::gengamma, {1.7, 0.8}}, {{0.01, 1}, {1, 1}, {30, 1}}, false},
      {"gengamma, nearly log-normal", {ResponseFamily::gengamma, {30.0, 0.2}}, {{0.01, 1}, {1, 1}, {30, 1}}, false},
      // not at the means, where the kink is
      {"asymmetric_laplace",
       {ResponseFamily::asymmetric_laplace, {0.8, 0.3}},
       {{-1.03, 1}, {0.21, 1}, {6.1, 1}},
       false},
      {"asymmetric_laplace, median", {ResponseFamily::asymmetric_laplace, {2.0, 0.5}}, {{-1.03, 1}, {20.1, 1}}, false},
      {"zi_poisson", {ResponseFamily::zi_poisson, {0.3}}, counts, true},
      {"zi_poisson, few", {ResponseFamily::zi_poisson, {0.01}}, counts, true},
      {"zi_poisson, most", {ResponseFamily::zi_poisson, {0.95}}, counts, true},
      {"zi_nbinom2", {ResponseFamily::zi_nbinom2, {1.7, 0.3}}, counts, true},
      {"zi_nbinom2, few", {ResponseFamily::zi_nbinom2, {8.0, 0.01}}, counts, true},
      {"zi_nbinom2, clustered", {ResponseFamily::zi_nbinom2, {0.3, 0.6}}, counts, true},
      {"betabinomial", {ResponseFamily::betabinomial, {5.0}}, trials, true},
      {"betabinomial, clustered", {ResponseFamily::betabinomial, {0.3}}, trials, true},
      {"betabinomial, nearly binomial", {ResponseFamily::betabinomial, {500.0}}, trials, true},
      {"ordinal_logit", {ResponseFamily::ordinal_logit, {0.7, 1.9}}, categories, true, 1, 4},
      {"ordinal_logit, three", {ResponseFamily::ordinal_logit, {0.002}}, {{1, 1}, {2, 1}, {3, 1}}, true, 1, 3},
      {"ordinal_probit", {ResponseFamily::ordinal_probit, {0.7, 1.9}}, categories, true, 1, 4},
      {"censored_gaussian",
       {ResponseFamily::censored_gaussian, {0.8}},
       {{0.4, 0.4}, {-1, -0.2}, {-1.7e308, -1}, {2, 1.7e308}, {-1, 1.7e308}},
       false},
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

Real log_add(Real a, Real b) { return std::max(a, b) + std::log1p(std::exp(-std::abs(a - b))); }

Real negative_binomial(Real size, Real y, Real eta) {
  const Real psi = eta - std::log(size);
  return std::lgamma(y + size) - std::lgamma(size) - std::lgamma(y + 1) + y * psi - (y + size) * log1p_exp(psi);
}

// Negative binomial with size mean / phi.
Real nbinom1(Real phi, Real y, Real eta) {
  const Real size = std::exp(eta) / phi;
  return std::lgamma(y + size) - std::lgamma(size) - std::lgamma(y + 1) - size * std::log1p(phi) +
         y * (std::log(phi) - std::log1p(phi));
}

Real gengamma(Real shape, Real power, Real y, Real eta) {
  const Real log_scale = eta + std::lgamma(shape) - std::lgamma(shape + 1 / power);
  const Real z = std::log(y) - log_scale;
  return std::log(power) - std::lgamma(shape) - std::log(y) + power * shape * z - std::exp(power * z);
}

Real asymmetric_laplace(Real scale, Real tau, Real y, Real eta) {
  const Real u = (y - eta) / scale;
  return std::log(tau) + std::log1p(-tau) - std::log(scale) - (u < 0 ? (tau - 1) * u : tau * u);
}

// log(1 - exp(-t))
Real log_positive(Real t) { return std::log(-std::expm1(-t)); }

Real zero_inflated(Real zi, Real y, Real log_p) {
  return y == 0 ? log_add(std::log(zi), std::log1p(-zi) + log_p) : std::log1p(-zi) + log_p;
}

// log j! + log Gamma(j shape), which take most of the time of a sum.
const std::vector<Real>& tweedie_gammas(Real shape) {
  static std::map<Real, std::vector<Real>> known;
  std::vector<Real>& gammas = known[shape];
  while (gammas.size() < 3000) {
    const Real j = Real(gammas.size());
    gammas.push_back(std::lgamma(j + 1) + std::lgamma(j * shape));
  }
  return gammas;
}

// A Tweedie variable is the sum of a Poisson number of gamma variables. The mean of this number is
// mu^(2-p) / ((2-p) phi). Each gamma variable is of shape (2-p)/(p-1). Their scale is phi (p-1) mu^(p-1).
Real tweedie(Real phi, Real p, Real y, Real eta) {
  const Real rate = std::exp((2 - p) * eta) / (phi * (2 - p));
  if (y == 0) return -rate;
  const Real shape = (2 - p) / (p - 1), log_scale = std::log(phi * (p - 1)) + (p - 1) * eta;
  const std::vector<Real>& gammas = tweedie_gammas(shape);
  const Real of_each = std::log(rate) + shape * (std::log(y) - log_scale);
  const Real of_all = -rate - std::log(y) - y * std::exp(-log_scale);
  const auto term = [&](std::size_t j) { return j * of_each + of_all - gammas[j]; };
  // Concave in j: they rise to the largest, which halving finds, and those that count lie next to it.
  std::size_t largest = 1, last = gammas.size() - 1;
  while (largest < last) {
    const std::size_t middle = (largest + last) / 2;
    if (term(middle + 1) > term(middle))
      largest = middle + 1;
    else
      last = middle;
  }
  const Real peak = term(largest);
  Real sum = 0;
  for (std::size_t j = largest; j >= 1 && term(j) > peak - 60; --j) sum += std::exp(term(j) - peak);
  for (std::size_t j = largest + 1; j < gammas.size() && term(j) > peak - 60; ++j) sum += std::exp(term(j) - peak);
  return peak + std::log(sum);
}

Real betabinomial(Real precision, const Response& r, Real eta) {
  const Real a = precision / (1 + std::exp(-eta)), b = precision / (1 + std::exp(eta));
  const auto log_beta = [](Real x, Real y) { return std::lgamma(x) + std::lgamma(y) - std::lgamma(x + y); };
  return log_choose(r.trials, r.y) + log_beta(r.y + a, r.trials - r.y + b) - log_beta(a, b);
}

// Uses the smaller of the two tails. In the larger one, the difference of two numbers next to 1 would lose all digits.
template <class Tail>
Real between(Real low, Real high, const Tail& lower_tail) {
  return low + high > 0 ? std::log(lower_tail(-low) - lower_tail(-high)) : std::log(lower_tail(high) - lower_tail(low));
}

template <class Tail>
Real ordinal(const std::vector<double>& gaps, Real y, Real eta, const Tail& lower_tail) {
  Real upper = -eta, lower = -INFINITY;
  for (int k = 1; k < int(y); ++k) {
    lower = upper;
    upper = k <= int(gaps.size()) ? upper + gaps[k - 1] : INFINITY;
  }
  return between(lower, upper, lower_tail);
}

Real normal_tail(Real x) { return 0.5L * std::erfc(-x / std::sqrt(2.0L)); }

Real censored(Real sd, const Response& r, Real eta) {
  const auto end = [&](Real x) { return std::abs(x) > 1e300L ? std::copysign(Real(INFINITY), x) : (x - eta) / sd; };
  if (r.y == r.trials) {
    const Real z = end(r.y);
    return -0.5L * (std::log(2 * std::acos(-1.0L)) + z * z) - std::log(sd);
  }
  return between(end(r.y), end(r.trials), normal_tail);
}

Real of_later_families(const Likelihood& likelihood, const Response& r, Real eta) {
  const std::vector<double>& parameters = likelihood.parameters;
  const Real first = parameters.empty() ? 0.0 : parameters[0], mu = std::exp(eta);
  switch (likelihood.family) {
    case ResponseFamily::truncated_poisson: return r.y * eta - mu - std::lgamma(Real(r.y) + 1) - log_positive(mu);
    case ResponseFamily::truncated_nbinom2:
      return negative_binomial(first, r.y, eta) - log_positive(first * log1p_exp(eta - std::log(first)));
    case ResponseFamily::tweedie: return tweedie(first, parameters[1], r.y, eta);
    case ResponseFamily::nbinom1: return nbinom1(first, r.y, eta);
    case ResponseFamily::gengamma: return gengamma(first, parameters[1], r.y, eta);
    case ResponseFamily::asymmetric_laplace: return asymmetric_laplace(first, parameters[1], r.y, eta);
    case ResponseFamily::zi_poisson: return zero_inflated(first, r.y, r.y * eta - mu - std::lgamma(Real(r.y) + 1));
    case ResponseFamily::zi_nbinom2: return zero_inflated(parameters[1], r.y, negative_binomial(first, r.y, eta));
    case ResponseFamily::betabinomial: return betabinomial(first, r, eta);
    case ResponseFamily::ordinal_logit:
      return ordinal(parameters, r.y, eta, [](Real x) { return 1 / (1 + std::exp(-x)); });
    case ResponseFamily::ordinal_probit: return ordinal(parameters, r.y, eta, normal_tail);
    case ResponseFamily::censored_gaussian: return censored(first, r, eta);
    default: return binomial(likelihood.family, r, eta);
  }
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
    case ResponseFamily::negative_binomial: return negative_binomial(first, y, eta);
    case ResponseFamily::gamma:
      return first * (std::log(first) - eta - y * std::exp(-eta)) - std::lgamma(first) + (first - 1) * std::log(y);
    case ResponseFamily::beta: {
      const Real mean = 1 / (1 + std::exp(-eta)), rest = 1 / (1 + std::exp(eta));
      return std::lgamma(first) - std::lgamma(mean * first) - std::lgamma(rest * first) +
             (mean * first - 1) * std::log(y) + (rest * first - 1) * std::log1p(-y);
    }
    default: return of_later_families(likelihood, r, eta);
  }
}

double reference_expectation(const Likelihood& likelihood, const Response& response, double mean, double variance) {
  // Four times as many change it by 2e-16, and by 1e-8 for the asymmetric Laplace density with its kink.
  const int smooth = variance > 30.0 ? 4000 : 1000;
  const int half = likelihood.family == ResponseFamily::asymmetric_laplace ? 40000 : smooth;
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
