// A normal variable N(eta, sd^2 / weight) that is either known (lower = upper) or known to lie between two limits. Each
// limit may be infinite. `y` of a datum is the lower limit, and `trials` is the upper one. For intervals
//   log p = log [Phi((upper - eta) / sd) - Phi((lower - eta) / sd)],
// which is concave (normal_interval.h). With a and b for the standardised limits, d log p / d log sd = a fa - b fb. The
// zeros of Phi nearest to the real axis are 1.92 +- 2.82 i, and those of differences are not nearer.
#pragma once

#include "likelihoods/gaussian.h"
#include "likelihoods/normal_interval.h"
#include "likelihoods/sharp_limits.h"

namespace neargp {

template <class V>
struct CensoredGaussianResponse {
  static constexpr int parameters = 1;
  static constexpr bool closed_form = false;
  static constexpr bool scaled = true;

  explicit CensoredGaussianResponse(const double* parameter)
      : sd_parameter_(parameter[0]), variance_(sd_parameter_ * sd_parameter_), exact_(&variance_) {}

  void load(const Datum<V>& datum) {
    exact_.load(datum);
    inverse_sd_ = math::sqrt(datum.weight) / sd_parameter_;
    lower_ = datum.y;
    upper_ = datum.trials;
  }

  V strip() const { return 2.8 / inverse_sd_; }

  LikelihoodTerms<V> node(V eta) const {
    if (is_far_inside(eta)) return {};
    const NormalInterval<V> at = interval(eta);
    LikelihoodTerms<V> terms;
    terms.value = is_exact() ? V{} : at.log_p;
    terms.slope = is_exact() ? V{} : at.slope * inverse_sd_;
    terms.d_parameter[0] = is_exact() ? V{} : lower_end(eta) * at.of_a - upper_end(eta) * at.of_b;
    return terms;
  }

  // Limits that differ by twelve standard deviations or more act separately, and their log p add up. The error is at
  // most Phi(-6)^2 = 1e-18.
  auto has_sharp_limits(V sd) const {
    return (sd > sharp * strip()) & (lower_ != upper_) & ((upper_ - lower_) * inverse_sd_ >= 12.0);
  }

  LikelihoodTerms<V> expectation_at_sharp_limits(V mean, V sd, bool third_and_fourth) const {
    LikelihoodTerms<V> sum;
    add_limit(upper_ <= infinite, upper_, 1.0, mean, sd, third_and_fourth, sum);
    add_limit(lower_ >= -infinite, lower_, -1.0, mean, sd, third_and_fourth, sum);
    return sum;
  }

  void finish(V mean, V variance, LikelihoodTerms<V>& terms) const {
    const LikelihoodTerms<V> exact = exact_.expectation(mean, variance);
    terms.value += is_exact() ? exact.value : V{};
    terms.slope += is_exact() ? exact.slope : V{};
    terms.curvature += is_exact() ? exact.curvature : V{};
    terms.d_parameter[0] += is_exact() ? 2.0 * exact.d_parameter[0] : V{};
  }

  LikelihoodTerms<V> point(V eta) const {
    const NormalInterval<V> at = interval(eta);
    LikelihoodTerms<V> terms = node(eta);
    terms.curvature = is_exact() ? V{} : -at.second * inverse_sd_ * inverse_sd_;
    terms.third = is_exact() ? V{} : at.third * inverse_sd_ * inverse_sd_ * inverse_sd_;
    finish(eta, V{}, terms);
    return terms;
  }

 private:
  static constexpr double infinite = 1e300;
  static constexpr double sharp = 3.0;  // from where equal steps are 200 and more

  template <class Mask>
  void add_limit(Mask has_limit, V limit, double direction, V mean, V sd, bool third_and_fourth,
                 LikelihoodTerms<V>& sum) const {
    const V counts = has_limit ? broadcast<V>(1.0) : V{};
    if (max_lane(counts) == 0.0) return;
    const V beyond = has_limit ? direction * (mean - limit) * inverse_sd_ : V{};
    const LikelihoodTerms<V> at = expected_log_tail(beyond, sd * inverse_sd_, third_and_fourth);
    const V unit = direction * inverse_sd_;
    sum.value += counts * at.value;
    sum.slope += counts * unit * at.slope;
    sum.curvature += counts * unit * unit * at.curvature;
    sum.third += counts * unit * unit * unit * at.third;
    sum.fourth += counts * unit * unit * unit * unit * at.fourth;
    sum.d_parameter[0] += counts * at.d_parameter[0];
  }

  auto is_exact() const { return lower_ == upper_; }

  V standardised_lower(V eta) const { return (lower_ - eta) * inverse_sd_; }
  V standardised_upper(V eta) const { return (upper_ - eta) * inverse_sd_; }
  V lower_end(V eta) const {
    return lower_ < -infinite ? open_lower_end(standardised_upper(eta)) : standardised_lower(eta);
  }
  V upper_end(V eta) const {
    return upper_ > infinite ? open_upper_end(standardised_lower(eta)) : standardised_upper(eta);
  }

  // Tails beyond 12 standard deviations are below 1e-32 and count as 0. Where the noise is small, most nodes are that
  // far inside.
  bool is_far_inside(V eta) const {
    const V within = smaller(-lower_end(eta), upper_end(eta));
    return max_lane(is_exact() ? V{} : 12.0 - within) <= 0.0;
  }

  NormalInterval<V> interval(V eta) const {
    const V one = broadcast<V>(1.0);
    return {is_exact() ? -one : lower_end(eta), is_exact() ? one : upper_end(eta)};
  }

  double sd_parameter_, variance_;
  GaussianResponse<V> exact_;
  V inverse_sd_, lower_, upper_;
};

}  // namespace neargp
