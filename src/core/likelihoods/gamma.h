// y ~ Gamma with mean exp(eta) and shape a, which is the parameter times the weight. The log density is
//   a log a - log Gamma(a) + a log y - log y - a (eta + y exp(-eta)),
// and E exp(-eta) = exp(-mean + variance/2).
#pragma once

#include "likelihoods/special.h"
#include "likelihoods/terms.h"

namespace neargp {

template <class V>
struct GammaResponse {
  static constexpr int parameters = 1;
  static constexpr bool closed_form = true;
  static constexpr bool scaled = true;

  explicit GammaResponse(const double* parameter) : parameter_(parameter[0]) { weigh(broadcast<V>(1.0)); }

  void load(const Datum<V>& datum) {
    if (differ(datum.weight, weight_)) weigh(datum.weight);
    y_ = datum.y;
    log_y_ = math::log(datum.y);
  }

  LikelihoodTerms<V> point(V eta) const {
    LikelihoodTerms<V> terms = expectation(eta, V{});
    terms.third = terms.curvature;
    return terms;
  }

  LikelihoodTerms<V> expectation(V mean, V variance) const {
    const V ratio = y_ * bounded_exp(0.5 * variance - mean);
    LikelihoodTerms<V> terms;
    terms.value = normalizer_ + (shape_ - 1.0) * log_y_ - shape_ * (mean + ratio);
    terms.curvature = shape_ * ratio;
    terms.slope = terms.curvature - shape_;
    terms.d_parameter[0] = shape_ * (d_normalizer_ + log_y_ - mean - ratio);
    return terms;
  }

 private:
  // log Gamma(a) = log Gamma(a + 1) - log a, digamma(a) = digamma(a + 1) - 1/a
  void weigh(V weight) {
    weight_ = weight;
    shape_ = parameter_ * weight;
    const LogGamma<V> function = log_gamma_1p(shape_);
    const V log_shape = math::log(shape_);
    normalizer_ = (shape_ + 1.0) * log_shape - function.value;
    d_normalizer_ = log_shape + 1.0 - function.digamma + 1.0 / shape_;
  }

  double parameter_;
  V weight_, shape_, normalizer_, d_normalizer_;
  V y_, log_y_;
};

}  // namespace neargp
