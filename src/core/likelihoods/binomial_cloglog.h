// The complementary log-log link, p = 1 - exp(-t) with t = e^eta. The expectation of failures is in closed form:
// E log(1 - p) = -exp(mean + variance/2). Successes need the quadrature (positive_part.h).
#pragma once

#include "likelihoods/binomial.h"
#include "likelihoods/positive_part.h"

namespace neargp {

template <class V>
struct BinomialCloglogResponse {
  static constexpr int parameters = 0;
  static constexpr bool closed_form = false;
  static constexpr bool scaled = false;

  explicit BinomialCloglogResponse(const double*) {}

  void load(const Datum<V>& datum) { data_ = BinomialDatum<V>(datum); }

  V strip() const { return broadcast<V>(0.5 * pi); }

  LikelihoodTerms<V> node(V eta) const {
    const PositivePart<V> at = success(eta);
    LikelihoodTerms<V> terms;
    terms.value = data_.y * at.log_p;
    terms.slope = data_.y * at.slope;
    return terms;
  }

  void finish(V mean, V variance, LikelihoodTerms<V>& terms) const {
    const V rate = data_.failures * bounded_exp(mean + 0.5 * variance);
    terms.value += data_.log_choose - rate;
    terms.slope -= rate;
    terms.curvature += rate;
  }

  LikelihoodTerms<V> point(V eta) const {
    const PositivePart<V> at = success(eta);
    LikelihoodTerms<V> terms = node(eta);
    terms.curvature = -data_.y * at.second();
    finish(eta, V{}, terms);
    terms.third = data_.y * at.third() - data_.failures * at.t;
    return terms;
  }

 private:
  static PositivePart<V> success(V eta) { return {bounded_exp(eta), eta}; }

  BinomialDatum<V> data_;
};

}  // namespace neargp
