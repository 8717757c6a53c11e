// Student's t is normal given a gamma variable: y = eta + scale / sqrt(weight G) N(0, 1), G ~ gamma(df/2) of mean 1.
// Given u = log G, a response is normal about the mean of eta, however far it is from the mean. The variance is
// V = variance + scale^2 / (weight G). One smooth integral over u is left. The density of u is proportional to
// exp(df/2 (u - exp(u))), about sqrt(2 / df) wide, with a tail exp(df u / 2) to the left. The trapezoidal rule on a
// grid that does not depend on the data has errors of 1e-10.
#include <algorithm>
#include <cmath>
#include <limits>

#include "base/constants.h"
#include "likelihoods/marginal.h"

namespace neargp {
namespace detail {

namespace {

struct Grid {
  std::vector<double> log_weight, d_log_df, inverse;  // inverse: 1 / G

  explicit Grid(double df) {
    const double half = 0.5 * df, reach = 36.0;
    const auto exponent = [&](double u) { return half * (u - std::exp(u) + 1.0); };
    double upper = 0.0;
    const double spacing = 0.35 * std::min(1.0, std::sqrt(2.0 / df));
    while (exponent(upper) > -reach) upper += spacing;
    double total = 0.0, mean = 0.0;
    for (double u = upper; exponent(u) > -reach || u > 0.0; u -= spacing) {
      log_weight.push_back(exponent(u));
      d_log_df.push_back(exponent(u));
      inverse.push_back(std::exp(-u));
      total += std::exp(exponent(u));
      mean += std::exp(exponent(u)) * exponent(u);
    }
    for (double& value : log_weight) value -= std::log(total);
    // log weight = df h(u) - log sum exp(df h)
    for (double& value : d_log_df) value -= mean / total;
  }
};

// The terms of one datum.
class Mixture {
 public:
  explicit Mixture(const Grid& grid) : grid_(grid), log_part_(grid.inverse.size()) {}

  void load(double residual, double variance, double noise) {
    residual2_ = residual * residual;
    variance_ = variance;
    noise_ = noise;
    top_ = -std::numeric_limits<double>::infinity();
    for (std::size_t j = 0; j < log_part_.size(); ++j) {
      log_part_[j] = grid_.log_weight[j] - 0.5 * (residual2_ / total(j) + std::log(total(j)));
      top_ = std::max(top_, log_part_[j]);
    }
    sum_ = expectation([](std::size_t) { return 1.0; });
  }

  double value() const { return top_ + std::log(sum_) - 0.5 * log_two_pi; }
  double mean_precision() const {
    return expectation([&](std::size_t j) { return 1.0 / total(j); }) / sum_;
  }
  double matched_omega() const {
    return mean_precision() * sum_ / expectation([&](std::size_t j) { return grid_.inverse[j] / total(j); });
  }
  double d_variance() const {
    return expectation([&](std::size_t j) { return slope(j); }) / sum_;
  }
  double d_log_scale() const {
    return expectation([&](std::size_t j) { return 2.0 * noise_ * grid_.inverse[j] * slope(j); }) / sum_;
  }
  double d_log_df() const {
    return expectation([&](std::size_t j) { return grid_.d_log_df[j]; }) / sum_;
  }

 private:
  double total(std::size_t j) const { return variance_ + noise_ * grid_.inverse[j]; }
  double slope(std::size_t j) const { return 0.5 * (residual2_ / total(j) - 1.0) / total(j); }

  template <class Term>
  double expectation(const Term& term) const {
    double sum = 0.0;
    for (std::size_t j = 0; j < log_part_.size(); ++j) sum += std::exp(log_part_[j] - top_) * term(j);
    return sum;
  }

  const Grid& grid_;
  std::vector<double> log_part_;
  double residual2_ = 0.0, variance_ = 0.0, noise_ = 0.0, top_ = 0.0, sum_ = 0.0;
};

double residual_of(const MarginalInput& input, Index i) { return input.observations.y[i] - input.mean[i]; }

void load(Mixture& mixture, double scale, const MarginalInput& input, Index i) {
  const double* weights = input.observations.weights;
  mixture.load(residual_of(input, i), input.variance[i], scale * scale / (weights ? weights[i] : 1.0));
}

}  // namespace

void marginal_of_student_t(const Likelihood& likelihood, const MarginalInput& input, Index first, Index last,
                           MarginalDensity& result, double* d_log_parameters) {
  const Grid grid(likelihood.parameters[1]);
  Mixture mixture(grid);
  for (Index i = first; i < last; ++i) {
    load(mixture, likelihood.parameters[0], input, i);
    result.value[i] = mixture.value();
    result.d_mean[i] = residual_of(input, i) * mixture.mean_precision();
    result.d_variance[i] = mixture.d_variance();
    if (!d_log_parameters) continue;
    const double count = input.count ? input.count[i] : 1.0;
    d_log_parameters[0] += count * mixture.d_log_scale();
    d_log_parameters[1] += count * mixture.d_log_df();
  }
}

}  // namespace detail

std::vector<double> matched_omega(const Likelihood& likelihood, const MarginalInput& input) {
  const detail::Grid grid(likelihood.parameters[1]);
  detail::Mixture mixture(grid);
  std::vector<double> omega(input.observations.n);
  for (Index i = 0; i < input.observations.n; ++i) {
    detail::load(mixture, likelihood.parameters[0], input, i);
    omega[i] = mixture.matched_omega();
  }
  return omega;
}

}  // namespace neargp
