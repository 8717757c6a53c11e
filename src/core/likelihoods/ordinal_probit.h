// Ordered categories by the cumulative probit (thresholds.h): p = Phi(t_k - eta) - Phi(t_(k-1) - eta), the probability
// of a normal interval. The density is log-concave. For the strip see binomial_probit.h.
#pragma once

#include "likelihoods/normal_interval.h"
#include "likelihoods/thresholds.h"

namespace neargp {

template <class V>
struct OrdinalProbitResponse {
  static constexpr int parameters = 1;
  static constexpr bool has_thresholds = true;
  static constexpr bool closed_form = false;
  static constexpr bool scaled = false;

  OrdinalProbitResponse(const double* gaps, int count) : thresholds_(gaps, count) {}

  void load(const Datum<V>& datum) { thresholds_.load(datum.y); }

  V strip() const { return broadcast<V>(2.8); }

  // d_parameter: the derivatives in the upper and the lower end
  LikelihoodTerms<V> node(V eta) const {
    const NormalInterval<V> at = interval(eta);
    LikelihoodTerms<V> terms;
    terms.value = at.log_p;
    terms.slope = at.slope;
    terms.d_parameter[0] = at.of_b;
    terms.d_parameter[1] = -at.of_a;
    return terms;
  }

  void finish(V, V, LikelihoodTerms<V>&) const {}

  LikelihoodTerms<V> point(V eta) const {
    LikelihoodTerms<V> terms = node(eta);
    const NormalInterval<V> at = interval(eta);
    terms.curvature = -at.second;
    terms.third = at.third;
    return terms;
  }

  Thresholds<V>& thresholds() { return thresholds_; }

 private:
  NormalInterval<V> interval(V eta) const {
    const V lower = thresholds_.lower - eta, upper = thresholds_.upper - eta;
    return {thresholds_.has_lower > 0.0 ? lower : open_lower_end(upper),
            thresholds_.has_upper > 0.0 ? upper : open_upper_end(lower)};
  }

  Thresholds<V> thresholds_;
};

}  // namespace neargp
