// Negative binomial counts with additional zeros of probability zi (negative_binomial.h, zero_inflation.h). The roots
// of P(0) = zi + (1 - zi) exp(-t) are where t = size log(1 + e^psi) = -L +- i pi. For size > 1 they are at
// e^psi = exp((-L +- i pi) / size) - 1; else the logarithm does not reach them. The singularities of the counts are at
// imaginary part pi. The derivative of t in log size is t - a.
#pragma once

#include "likelihoods/negative_binomial.h"
#include "likelihoods/zero_inflation.h"

namespace neargp {

template <class V>
struct ZiNbinom2Response {
  static constexpr int parameters = 2;
  static constexpr bool closed_form = false;
  static constexpr bool scaled = false;

  explicit ZiNbinom2Response(const double* parameter)
      : size_(parameter[0]), counts_(parameter), inflation_(parameter[1]) {}

  void load(const Datum<V>& datum) {
    counts_.load(datum);
    inflation_.load(datum.y);
  }

  V strip() const {
    if (size_ <= 1.0) return broadcast<V>(pi);
    const double radius = std::exp(-inflation_.log_odds() / size_), angle = pi / size_;
    return broadcast<V>(std::atan2(radius * std::sin(angle), radius * std::cos(angle) - 1.0));
  }

  LikelihoodTerms<V> node(V eta) const {
    const LikelihoodTerms<V> of_counts = counts_.node(eta);
    LikelihoodTerms<V> terms = of_zero(eta);
    // finish() adds the terms that are constant in eta.
    const V one = broadcast<V>(1.0);
    const V positive = inflation_.is_zero() ? V{} : one;
    terms.value += positive * of_counts.value;
    terms.slope += positive * of_counts.slope;
    terms.d_parameter[0] += positive * of_counts.d_parameter[0];
    return terms;
  }

  void finish(V mean, V variance, LikelihoodTerms<V>& terms) const {
    LikelihoodTerms<V> constant;
    counts_.finish(mean, variance, constant);
    inflation_.add_positive(constant, terms, 1);
    terms.d_parameter[0] += inflation_.is_zero() ? V{} : constant.d_parameter[0];
  }

  LikelihoodTerms<V> point(V eta) const {
    LikelihoodTerms<V> terms = of_zero(eta);
    const ZeroOfCounts<V> zero = counts_.zero(eta);
    inflation_.put_second_order(zero.t, zero.a, zero.second(), zero.third(), terms);
    const LikelihoodTerms<V> of_counts = counts_.point(eta);
    inflation_.add_positive(of_counts, terms, 1);
    terms.d_parameter[0] += inflation_.is_zero() ? V{} : of_counts.d_parameter[0];
    return terms;
  }

 private:
  LikelihoodTerms<V> of_zero(V eta) const {
    const ZeroOfCounts<V> zero = counts_.zero(eta);
    LikelihoodTerms<V> terms;
    terms.d_parameter[0] = -inflation_.put_zero(zero.t, zero.a, terms, 1) * (zero.t - zero.a);
    return terms;
  }

  double size_;
  NegativeBinomialResponse<V> counts_;
  ZeroInflation<V> inflation_;
};

}  // namespace neargp
