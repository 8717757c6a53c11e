// y = eta + s t, where s = scale / sqrt(weight) and t is Student's with df degrees of freedom. Let z = (y - eta) / s
// and m = df/2 + 1/2. The log density is
//   log Gamma(m) - log Gamma(df/2) - log(pi df)/2 - log s - m log(1 + z^2/df).
// It is convex where z^2 > df, and its singularities are at eta = y +- i s sqrt(df).
#pragma once

#include "likelihoods/special.h"
#include "likelihoods/terms.h"

namespace neargp {

template <class V>
struct StudentTResponse {
  static constexpr int parameters = 2;
  static constexpr bool closed_form = false;
  static constexpr bool scaled = true;

  // log Gamma(x) = log Gamma(x + 1) - log x, and likewise for its derivative
  explicit StudentTResponse(const double* parameter) : scale_(parameter[0]), df_(parameter[1]) {
    const V half = broadcast<V>(0.5 * df_);
    const V next = half + 0.5;
    const LogGamma<V> upper = log_gamma_1p(next), lower = log_gamma_1p(half);
    normalizer_ =
        upper.value - math::log(next) - lower.value + math::log(half) - 0.5 * math::log(broadcast<V>(pi * df_));
    d_normalizer_ = half * (upper.digamma - 1.0 / next - lower.digamma + 1.0 / half) - 0.5;
  }

  void load(const Datum<V>& datum) {
    y_ = datum.y;
    inverse_scale_ = math::sqrt(datum.weight) / scale_;
    log_scale_ = -math::log(inverse_scale_);
  }

  V strip() const { return math::sqrt(broadcast<V>(df_)) / inverse_scale_; }

  LikelihoodTerms<V> node(V eta) const {
    const V z = (y_ - eta) * inverse_scale_;
    const V z2 = z * z;
    const V ratio = 1.0 / (df_ + z2);
    const V log_tail = math::log(1.0 + z2 / df_);
    LikelihoodTerms<V> terms;
    terms.value = -0.5 * (df_ + 1.0) * log_tail;
    terms.slope = (df_ + 1.0) * z * ratio * inverse_scale_;
    terms.d_parameter[0] = (df_ + 1.0) * z2 * ratio;
    terms.d_parameter[1] = 0.5 * ((df_ + 1.0) * z2 * ratio - df_ * log_tail);
    return terms;
  }

  void finish(V, V, LikelihoodTerms<V>& terms) const {
    terms.value += normalizer_ - log_scale_;
    terms.d_parameter[0] -= 1.0;
    terms.d_parameter[1] += d_normalizer_;
  }

  LikelihoodTerms<V> point(V eta) const {
    LikelihoodTerms<V> terms = node(eta);
    finish(eta, V{}, terms);
    const V z = (y_ - eta) * inverse_scale_;
    const V ratio = 1.0 / (df_ + z * z);
    const V scaled = inverse_scale_ * inverse_scale_ * (df_ + 1.0) * ratio;
    terms.curvature = scaled * (df_ - z * z) * ratio;
    terms.third = 2.0 * scaled * inverse_scale_ * (z * ratio) * ((z * z - 3.0 * df_) * ratio);
    return terms;
  }

 private:
  double scale_, df_;
  V normalizer_, d_normalizer_;
  V y_, inverse_scale_, log_scale_;
};

}  // namespace neargp
