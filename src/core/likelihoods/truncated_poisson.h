// Poisson counts of which none is 0, of mean mu / (1 - exp(-mu)), mu = exp(eta):
//   log p = y eta - mu - log y! - log(1 - exp(-mu)).
// What is left to the quadrature is the last term (positive_part.h); E mu = exp(mean + variance/2).
#pragma once

#include "likelihoods/positive_part.h"

namespace neargp {

template <class V>
struct TruncatedPoissonResponse {
  static constexpr int parameters = 0;
  static constexpr bool closed_form = false;
  static constexpr bool scaled = false;

  explicit TruncatedPoissonResponse(const double*) {}

  void load(const Datum<V>& datum) {
    y_ = datum.y;
    log_factorial_ = log_gamma_1p(datum.y).value;
  }

  V strip() const { return broadcast<V>(1.5707963267948966); }

  LikelihoodTerms<V> node(V eta) const {
    const PositivePart<V> positive(bounded_exp(eta), eta);
    LikelihoodTerms<V> terms;
    terms.value = -positive.log_p;
    terms.slope = -positive.slope;
    return terms;
  }

  void finish(V mean, V variance, LikelihoodTerms<V>& terms) const {
    const V rate = bounded_exp(mean + 0.5 * variance);
    terms.value += y_ * mean - rate - log_factorial_;
    terms.slope += y_ - rate;
    terms.curvature += rate;
  }

  LikelihoodTerms<V> point(V eta) const {
    const PositivePart<V> positive(bounded_exp(eta), eta);
    LikelihoodTerms<V> terms = node(eta);
    terms.curvature = positive.second();
    finish(eta, V{}, terms);
    terms.third = -positive.third() - positive.t;
    return terms;
  }

 private:
  V y_, log_factorial_;
};

}  // namespace neargp
