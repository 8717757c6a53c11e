// y ~ Poisson(exp(eta)); E exp(eta) = exp(mean + variance/2).
#pragma once

#include "likelihoods/special.h"
#include "likelihoods/terms.h"

namespace neargp {

template <class V>
struct PoissonResponse {
  static constexpr int parameters = 0;
  static constexpr bool closed_form = true;
  static constexpr bool scaled = false;

  explicit PoissonResponse(const double*) {}

  void load(const Datum<V>& datum) {
    y_ = datum.y;
    log_factorial_ = log_gamma_1p(datum.y).value;
  }

  LikelihoodTerms<V> point(V eta) const {
    LikelihoodTerms<V> terms = expectation(eta, V{});
    terms.third = -terms.curvature;
    return terms;
  }

  LikelihoodTerms<V> expectation(V mean, V variance) const {
    LikelihoodTerms<V> terms;
    terms.curvature = bounded_exp(mean + 0.5 * variance);
    terms.value = y_ * mean - terms.curvature - log_factorial_;
    terms.slope = y_ - terms.curvature;
    return terms;
  }

 private:
  V y_, log_factorial_;
};

}  // namespace neargp
