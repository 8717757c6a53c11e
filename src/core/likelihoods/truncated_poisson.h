// Poisson counts given that they are not 0 (poisson.h). With mu = exp(eta), their mean is mu / (1 - exp(-mu)), and
//   log p = y eta - mu - log y! - log(1 - exp(-mu)).
// The quadrature only computes the last term (positive_part.h). The others use E mu = exp(mean + variance/2).
#pragma once

#include "likelihoods/poisson.h"
#include "likelihoods/positive_part.h"

namespace neargp {

template <class V>
struct TruncatedPoissonResponse {
  static constexpr int parameters = 0;
  static constexpr bool closed_form = false;
  static constexpr bool scaled = false;

  explicit TruncatedPoissonResponse(const double* parameter) : counts_(parameter) {}

  void load(const Datum<V>& datum) { counts_.load(datum); }

  V strip() const { return broadcast<V>(0.5 * pi); }

  LikelihoodTerms<V> node(V eta) const {
    const PositivePart<V> positive(bounded_exp(eta), eta);
    LikelihoodTerms<V> terms;
    terms.value = -positive.log_p;
    terms.slope = -positive.slope;
    return terms;
  }

  void finish(V mean, V variance, LikelihoodTerms<V>& terms) const {
    const LikelihoodTerms<V> of_counts = counts_.expectation(mean, variance);
    terms.value += of_counts.value;
    terms.slope += of_counts.slope;
    terms.curvature += of_counts.curvature;
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
  PoissonResponse<V> counts_;
};

}  // namespace neargp
