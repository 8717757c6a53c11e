// The logit link: log p = log choose + y eta - trials log(1 + e^eta).
//
// The logistic distribution is a scale mixture of normal distributions, and a mixture of eight is close to it. It gives
// the logistic function as sum_k p_k Phi(eta / t_k) (Monahan and Stefanski 1992, in Handbook of the Logistic
// Distribution). Under eta ~ N(m, s) each t_k grows to t = sqrt(t_k^2 + s). Expectations are therefore in closed form,
// with the same accuracy for every variance:
//   E log(1 + e^eta) = sum_k p_k (m Phi(m/t) + t phi(m/t)).
// Its slope is sum_k p_k Phi(m/t), and twice its derivative in s is sum_k p_k phi(m/t)/t. The constants below make the
// largest of the three errors at s = 0 about as small as it can be: 3e-9, 3e-9 and 1.4e-8. A positive s averages the
// errors.
#pragma once

#include "likelihoods/binomial.h"

namespace neargp {

template <class V>
struct BinomialLogitResponse {
  static constexpr int parameters = 0;
  static constexpr bool closed_form = true;
  static constexpr bool scaled = false;

  explicit BinomialLogitResponse(const double*) {}

  void load(const Datum<V>& datum) { data_ = BinomialDatum<V>(datum); }

  LikelihoodTerms<V> point(V eta) const {
    const Softplus<V> at = softplus(eta);
    LikelihoodTerms<V> terms = combine(eta, at.value, at.probability);
    terms.curvature = data_.trials * at.probability * at.complement;
    terms.third = terms.curvature * (2.0 * at.probability - 1.0);
    return terms;
  }

  LikelihoodTerms<V> expectation(V mean, V variance) const {
    const V distance = absolute(mean);
    V value = V{}, tail = V{}, density = V{};
    unrolled<components>([&](auto k) __attribute__((always_inline)) {
      constexpr double weight = weights[decltype(k)::value];
      constexpr double variance_k = scales[decltype(k)::value] * scales[decltype(k)::value];
      const V inverse = 1.0 / math::sqrt(variance + variance_k);
      const V z = distance * inverse;
      const V density_k = weight * normal_density(z);
      const V tail_k = density_k * mills_ratio(z);
      tail += tail_k;
      density += density_k * inverse;
      value += density_k * (variance + variance_k) * inverse - distance * tail_k;
    });
    LikelihoodTerms<V> terms = combine(mean, larger(mean, V{}) + value, mean > 0.0 ? 1.0 - tail : tail);
    terms.curvature = data_.trials * density;
    return terms;
  }

 private:
  static constexpr int components = 8;
  static constexpr double scales[components] = {0.7334009852757074, 0.9472804216657775, 1.2115381036441295,
                                                1.551809222428665,  1.993961226692759,  2.5640158257407983,
                                                3.29599322240752,   4.276662801465519};
  static constexpr double weights[components] = {0.0033384177311568163, 0.0535802280241032,   0.2020056085965564,
                                                 0.32146845323289786,   0.2712650730909875,   0.12325473960151499,
                                                 0.024010750617133786,  0.0010767291056493237};

  LikelihoodTerms<V> combine(V eta, V log_sum, V probability) const {
    LikelihoodTerms<V> terms;
    terms.value = data_.log_choose + data_.y * eta - data_.trials * log_sum;
    terms.slope = data_.y - data_.trials * probability;
    return terms;
  }

  BinomialDatum<V> data_;
};

}  // namespace neargp
