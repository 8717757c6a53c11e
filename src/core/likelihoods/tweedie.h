// A Tweedie response y with power p, 1 < p < 2, mean mu = exp(eta) and variance phi mu^p, where phi is the dispersion
// over the weight. Write c = 1 - p and d = 2 - p. With probability exp(-mu^d / (d phi)) y is 0, else a sum of gamma
// variables. See Jorgensen 1987; Dunn and Smyth 2005. The log density is
//   log f = [y mu^c / c - mu^d / d] / phi + log a(y, phi, p),
// with log a from tweedie_series.h. Let x be normal with mean `mean + c variance` and the variance of a normal eta.
// Then E eta^j exp(c eta) = exp(c mean + c^2 variance / 2) E x^j, and all expectations are in closed form.
#pragma once

#include "likelihoods/terms.h"
#include "likelihoods/tweedie_series.h"

namespace neargp {

template <class V>
struct TweedieResponse {
  static constexpr int parameters = 2;
  static constexpr bool closed_form = true;
  static constexpr bool scaled = true;

  explicit TweedieResponse(const double* parameter) : dispersion_(parameter[0]), power_(parameter[1]) {}

  void load(const Datum<V>& datum) {
    load_without_constant(datum);
    series_ = TweedieSeries<V>(y_, phi_, power_);
  }

  void load_without_constant(const Datum<V>& datum) {
    y_ = datum.y;
    phi_ = dispersion_ / datum.weight;
    series_ = {};
  }

  LikelihoodTerms<V> point(V eta) const {
    LikelihoodTerms<V> terms = expectation(eta, V{});
    const double c = 1.0 - power_, d = 2.0 - power_;
    terms.third = (c * c * y_ * bounded_exp(c * eta) - d * d * bounded_exp(d * eta)) / phi_;
    return terms;
  }

  LikelihoodTerms<V> expectation(V mean, V variance) const {
    const double c = 1.0 - power_, d = 2.0 - power_;
    const V of_y = y_ * bounded_exp(c * mean + (0.5 * c * c) * variance);
    const V of_none = bounded_exp(d * mean + (0.5 * d * d) * variance);
    LikelihoodTerms<V> terms;
    const V value = (of_y / c - of_none / d) / phi_;
    terms.value = value + series_.value;
    terms.slope = (of_y - of_none) / phi_;
    terms.curvature = (d * of_none - c * of_y) / phi_;
    terms.d_parameter[0] = series_.d_log_phi - value;
    const V in_power =
        of_none * ((mean + d * variance) / d - 1.0 / (d * d)) - of_y * ((mean + c * variance) / c - 1.0 / (c * c));
    terms.d_parameter[1] = power_ * (in_power / phi_ + series_.d_power);
    return terms;
  }

 private:
  double dispersion_, power_;
  V y_, phi_;
  TweedieSeries<V> series_;
};

}  // namespace neargp
