// Poisson counts with additional zeros of probability zi, the parameter. The probabilities are
//   P(0) = zi + (1 - zi) exp(-mu),    log p(y) = log(1 - zi) + log p of the counts for y > 0.
// With the log odds L of zi, log P(0) is log zi + log(1 + e^x), x = -L - mu (zero_inflation.h), which is not concave.
// The roots of P(0) are at mu = -L +- i pi.
#pragma once

#include "likelihoods/poisson.h"
#include "likelihoods/zero_inflation.h"

namespace neargp {

template <class V>
struct ZiPoissonResponse {
  static constexpr int parameters = 1;
  static constexpr bool closed_form = false;
  static constexpr bool scaled = false;

  explicit ZiPoissonResponse(const double* parameter) : counts_(nullptr), inflation_(parameter[0]) {}

  void load(const Datum<V>& datum) {
    counts_.load(datum);
    inflation_.load(datum.y);
  }

  V strip() const { return broadcast<V>(std::atan2(pi, -inflation_.log_odds())); }

  LikelihoodTerms<V> node(V eta) const {
    const V mu = bounded_exp(eta);
    LikelihoodTerms<V> terms;
    inflation_.put_zero(mu, mu, terms, 0);
    return terms;
  }

  void finish(V mean, V variance, LikelihoodTerms<V>& terms) const {
    inflation_.add_positive(counts_.expectation(mean, variance), terms, 0);
  }

  LikelihoodTerms<V> point(V eta) const {
    LikelihoodTerms<V> terms = node(eta);
    const V mu = bounded_exp(eta);
    inflation_.put_second_order(mu, mu, mu, mu, terms);
    inflation_.add_positive(counts_.point(eta), terms, 0);
    return terms;
  }

 private:
  PoissonResponse<V> counts_;
  ZeroInflation<V> inflation_;
};

}  // namespace neargp
