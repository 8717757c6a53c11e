// The probit link, p = Phi(eta). With a = |eta| and Mills' ratio R(a), log Phi(-a) = log phi(a) + log R(a) and
// Phi(a) = 1 - phi(a) R(a). The slope of log Phi is l(eta) = phi/Phi, with l' = -l (eta + l). The zeros of Phi nearest
// to the real axis are 1.92 +- 2.82 i.
#pragma once

#include "likelihoods/binomial.h"

namespace neargp {

template <class V>
struct BinomialProbitResponse {
  static constexpr int parameters = 0;
  static constexpr bool closed_form = false;
  static constexpr bool scaled = false;

  explicit BinomialProbitResponse(const double*) {}

  void load(const Datum<V>& datum) { data_ = BinomialDatum<V>(datum); }

  V strip() const { return broadcast<V>(2.8); }

  LikelihoodTerms<V> node(V eta) const {
    const Hazards at(eta);
    LikelihoodTerms<V> terms;
    terms.value = data_.y * at.log_success + data_.failures * at.log_failure;
    terms.slope = data_.y * at.success - data_.failures * at.failure;
    return terms;
  }

  void finish(V, V, LikelihoodTerms<V>& terms) const { terms.value += data_.log_choose; }

  LikelihoodTerms<V> point(V eta) const {
    LikelihoodTerms<V> terms = node(eta);
    finish(eta, V{}, terms);
    const Hazards at(eta);
    const V success = at.success * (at.success + eta);
    const V failure = at.failure * (at.failure - eta);
    terms.curvature = data_.y * success + data_.failures * failure;
    terms.third = data_.y * third(at.success, eta) - data_.failures * third(at.failure, -eta);
    return terms;
  }

 private:
  // log Phi and its slope, at eta and at -eta
  struct Hazards {
    V log_success, log_failure, success, failure;

    explicit Hazards(V eta) {
      const NormalTails<V> tails(absolute(eta));
      const V slope_lower = 1.0 / tails.mills;
      const V slope_upper = tails.density / tails.upper;
      const auto positive = eta > 0.0;
      log_success = positive ? tails.log_upper : tails.log_lower;
      log_failure = positive ? tails.log_lower : tails.log_upper;
      success = positive ? slope_upper : slope_lower;
      failure = positive ? slope_lower : slope_upper;
    }
  };

  // l'' = l ((eta + l)(eta + 2 l) - 1)
  static V third(V hazard, V eta) { return hazard * ((eta + hazard) * (eta + 2.0 * hazard) - 1.0); }

  BinomialDatum<V> data_;
};

}  // namespace neargp
