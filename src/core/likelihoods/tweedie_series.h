// The part of the Tweedie density that does not depend on the mean, for y > 0 (Dunn and Smyth 2005). Let d = 2 - p and
// alpha = d / (p-1). Then
//   log a = -log y + log sum_j exp(j log z - log Gamma(j + 1) - log Gamma(j alpha)).
// In this sum log z = alpha log y - alpha log(p-1) - (1 + alpha) log phi - log d. The largest term is near
// j = y^d / (d phi), where the second derivative of the logarithm of the terms is -(1 + alpha) / j. The sum therefore
// goes 7 sqrt(j) + 14 to either side. With E for the mean under the terms, d log a / d log phi = -(1 + alpha) E j. Let
// da = d alpha / dp = -1 / (p-1)^2. Then
//   d log a / dp = E j d log z / dp - da E j digamma(j alpha).
// Where the largest term is far out, only the normal density of the saddlepoint is left of the sum. Then
//   log a = -1/2 log(2 pi phi y^p) - y^d / ((1-p) d phi),
// with a relative error of about 1 / j.
#pragma once

#include "likelihoods/special.h"

namespace neargp {

template <class V>
struct TweedieSeries {
  V value{}, d_log_phi{}, d_power{};  // all 0 for y = 0

  TweedieSeries() = default;

  TweedieSeries(V y, V phi, double power) {
    for (int lane = 0; lane < PackTraits<V>::lanes; ++lane)
      if (get_lane(y, lane) > 0.0) fill(lane, get_lane(y, lane), get_lane(phi, lane), power);
  }

 private:
  static constexpr double most_terms = 1e5;

  void fill(int lane, double y, double phi, double power) {
    const double log_y = std::log(y), d = 2.0 - power;
    const double largest = std::exp(d * log_y) / (d * phi);
    if (largest < most_terms)
      sum(lane, log_y, std::log(phi), power, largest);
    else
      approximate(lane, log_y, phi, power);
  }

  void sum(int lane, double log_y, double log_phi, double power, double largest) {
    const double c = power - 1.0, d = 2.0 - power, alpha = d / c, slope = -1.0 / (c * c);
    const double log_z = alpha * (log_y - std::log(c)) - (1.0 + alpha) * log_phi - std::log(d);
    const double log_z_slope = slope * (log_y - std::log(c) - log_phi) - alpha / c + 1.0 / d;
    const double reach = 7.0 * std::sqrt(largest) + 14.0;
    const double first = largest > reach + 1.0 ? std::floor(largest - reach) : 1.0;
    const double top =
        get_lane(log_term(broadcast<V>(largest > 1.0 ? std::floor(largest) : 1.0), log_z, alpha).value, 0);
    V total{}, mean{}, mean_slope{};
    V j;
    for (int k = 0; k < PackTraits<V>::lanes; ++k) set_lane(j, k, first + k);
    for (double at = first; at <= largest + reach; at += PackTraits<V>::lanes, j = j + double(PackTraits<V>::lanes)) {
      const Term term = log_term(j, log_z, alpha);
      const V weight = math::exp(term.value - top);
      total += weight;
      mean += weight * j;
      mean_slope += weight * j * (log_z_slope - slope * term.digamma);
    }
    const double all = sum_lanes(total);
    set_lane(value, lane, top + std::log(all) - log_y);
    set_lane(d_log_phi, lane, -(1.0 + alpha) * sum_lanes(mean) / all);
    set_lane(d_power, lane, sum_lanes(mean_slope) / all);
  }

  struct Term {
    V value, digamma;
  };

  // log Gamma(x) = log Gamma(x + 1) - log x
  static Term log_term(V j, double log_z, double alpha) {
    const V x = alpha * j;
    const LogGamma<V> of_x = log_gamma_1p(x);
    return {j * log_z - log_gamma_1p(j).value - of_x.value + math::log(x), of_x.digamma - 1.0 / x};
  }

  void approximate(int lane, double log_y, double phi, double power) {
    const double c = 1.0 - power, d = 2.0 - power, bulk = std::exp(d * log_y) / (c * d * phi);
    set_lane(value, lane, -0.5 * (log_two_pi + std::log(phi) + power * log_y) - bulk);
    set_lane(d_log_phi, lane, -0.5 + bulk);
    // d log(c d) / dp = -1/c - 1/d
    set_lane(d_power, lane, -0.5 * log_y + bulk * (log_y - 1.0 / c - 1.0 / d));
  }
};

}  // namespace neargp
