// y ~ N(eta, variance / weight).
#pragma once

#include "base/constants.h"
#include "likelihoods/terms.h"

namespace neargp {

template <class V>
struct GaussianResponse {
  static constexpr int parameters = 1;
  static constexpr bool closed_form = true;
  static constexpr bool scaled = true;

  explicit GaussianResponse(const double* parameter) : variance_(parameter[0]) {}

  void load(const Datum<V>& datum) {
    y_ = datum.y;
    precision_ = datum.weight / variance_;
    log_precision_ = math::log(precision_);
  }

  LikelihoodTerms<V> point(V eta) const { return expectation(eta, V{}); }

  LikelihoodTerms<V> expectation(V mean, V variance) const {
    const V residual = y_ - mean;
    const V square = (residual * residual + variance) * precision_;
    LikelihoodTerms<V> terms;
    terms.value = 0.5 * (log_precision_ - square) - half_log_two_pi;
    terms.slope = residual * precision_;
    terms.curvature = precision_;
    terms.d_parameter[0] = 0.5 * (square - 1.0);
    return terms;
  }

 private:
  double variance_;
  V y_, precision_, log_precision_;
};

}  // namespace neargp
