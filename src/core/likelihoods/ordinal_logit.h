// Ordered categories by the cumulative logit (thresholds.h; McCullagh 1980). With u = t_k - eta and l = t_(k-1) - eta,
//   p = logistic(u) - logistic(l) = logistic(u) logistic(-l) (1 - exp(-gap)).
// The first category uses p = logistic(u), the last one p = logistic(-l). The density is log-concave, with poles at
// imaginary part pi.
#pragma once

#include "likelihoods/special.h"
#include "likelihoods/thresholds.h"

namespace neargp {

template <class V>
struct OrdinalLogitResponse {
  static constexpr int parameters = 1;
  static constexpr bool has_thresholds = true;
  static constexpr bool closed_form = false;
  static constexpr bool scaled = false;

  OrdinalLogitResponse(const double* gaps, int count) : thresholds_(gaps, count) {}

  void load(const Datum<V>& datum) {
    thresholds_.load(datum.y);
    between_ = thresholds_.has_lower * thresholds_.has_upper;
    const V rest = math::exp(-thresholds_.gap);
    // 1 - exp(-gap) by its series where the gap is small
    const V g = thresholds_.gap;
    const V short_of = g < 0.01 ? g * (1.0 - g * (0.5 - g * (1.0 / 6 - g * (1.0 / 24 - g * (1.0 / 120))))) : 1.0 - rest;
    log_between_ = between_ * math::log(short_of);
    d_gap_ = between_ * rest / short_of;
  }

  V strip() const { return broadcast<V>(pi); }

  // d_parameter: the derivatives in the upper and the lower end
  LikelihoodTerms<V> node(V eta) const {
    const Softplus<V> upper = softplus(eta - thresholds_.upper), lower = softplus(thresholds_.lower - eta);
    LikelihoodTerms<V> terms;
    terms.value = -thresholds_.has_upper * upper.value - thresholds_.has_lower * lower.value;
    terms.d_parameter[0] = thresholds_.has_upper * upper.probability;
    terms.d_parameter[1] = -thresholds_.has_lower * lower.probability;
    terms.slope = -terms.d_parameter[0] - terms.d_parameter[1];
    return terms;
  }

  void finish(V, V, LikelihoodTerms<V>& terms) const {
    terms.value += log_between_;
    terms.d_parameter[0] += d_gap_;
    terms.d_parameter[1] -= d_gap_;
  }

  LikelihoodTerms<V> point(V eta) const {
    LikelihoodTerms<V> terms = node(eta);
    finish(eta, V{}, terms);
    const Softplus<V> upper = softplus(eta - thresholds_.upper), lower = softplus(thresholds_.lower - eta);
    const V above = thresholds_.has_upper * upper.probability * upper.complement;
    const V below = thresholds_.has_lower * lower.probability * lower.complement;
    terms.curvature = above + below;
    terms.third = below * (1.0 - 2.0 * lower.probability) - above * (1.0 - 2.0 * upper.probability);
    return terms;
  }

  Thresholds<V>& thresholds() { return thresholds_; }

 private:
  Thresholds<V> thresholds_;
  V between_, log_between_, d_gap_;
};

}  // namespace neargp
