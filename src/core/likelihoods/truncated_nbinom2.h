// Negative binomial counts given that they are not 0 (negative_binomial.h, zero_of_counts.h, positive_part.h):
//   log p = log p of the counts - log(1 - P(0)).
// Let l be the logarithm of 1 - P(0) as a function of u = log t. The chain rule gives l' = g r in eta, and so on for
// higher derivatives. In the parameter, d u / d log size = 1 - r.
#pragma once

#include "likelihoods/negative_binomial.h"
#include "likelihoods/positive_part.h"
#include "likelihoods/zero_of_counts.h"

namespace neargp {

template <class V>
struct TruncatedNbinom2Response {
  static constexpr int parameters = 1;
  static constexpr bool closed_form = false;
  static constexpr bool scaled = false;

  explicit TruncatedNbinom2Response(const double* parameter) : counts_(parameter) {}

  void load(const Datum<V>& datum) { counts_.load(datum); }

  // The strip of log(1 - P(0)) is no less than Poisson's, which it approaches as size grows.
  V strip() const { return broadcast<V>(0.5 * pi); }

  LikelihoodTerms<V> node(V eta) const {
    const ZeroOfCounts<V> zero = counts_.zero(eta);
    const PositivePart<V> positive(zero.t, zero.log_t);
    LikelihoodTerms<V> terms = counts_.node(eta);
    terms.value -= positive.log_p;
    terms.slope -= positive.slope * zero.rise;
    terms.d_parameter[0] -= positive.slope * (1.0 - zero.rise);
    return terms;
  }

  void finish(V mean, V variance, LikelihoodTerms<V>& terms) const { counts_.finish(mean, variance, terms); }

  LikelihoodTerms<V> point(V eta) const {
    const ZeroOfCounts<V> zero = counts_.zero(eta);
    const PositivePart<V> positive(zero.t, zero.log_t);
    LikelihoodTerms<V> terms = node(eta);
    const LikelihoodTerms<V> of_counts = counts_.point(eta);
    finish(eta, V{}, terms);
    const V second = positive.second(), r = zero.rise, r1 = zero.rise_slope();
    terms.curvature = of_counts.curvature + second * r * r + positive.slope * r1;
    terms.third =
        of_counts.third - positive.third() * r * r * r - 3.0 * second * r * r1 - positive.slope * zero.rise_curvature();
    return terms;
  }

 private:
  NegativeBinomialResponse<V> counts_;
};

}  // namespace neargp
