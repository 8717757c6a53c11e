// The complementary log-log link, p = 1 - exp(-t), t = e^eta. Failures have a closed form,
// E log(1 - p) = -exp(mean + variance/2); for successes the quadrature is needed, with
//   g = d log p / d eta = t / (e^t - 1) and dg / d eta = g (1 - g - t).
// Below t = 1 both come from S = sinh(t/2)/(t/2): p = t exp(-t/2) S and g = exp(-t/2)/S. The zeros of p nearest to the
// real axis are log(2 pi) +- i pi/2.
#pragma once

#include "likelihoods/binomial.h"

namespace neargp {

template <class V>
struct BinomialCloglogResponse {
  static constexpr int parameters = 0;
  static constexpr bool closed_form = false;
  static constexpr bool scaled = false;

  explicit BinomialCloglogResponse(const double*) {}

  void load(const Datum<V>& datum) { data_ = BinomialDatum<V>(datum); }

  V strip() const { return broadcast<V>(1.5707963267948966); }

  LikelihoodTerms<V> node(V eta) const {
    const Success at(eta);
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
    const Success at(eta);
    LikelihoodTerms<V> terms = node(eta);
    const V second = at.slope * (at.complement - at.t);
    const V third = second * (at.complement - at.t) - at.slope * (second + at.t);
    terms.curvature = -data_.y * second;
    finish(eta, V{}, terms);
    terms.third = data_.y * third - data_.failures * at.t;
    return terms;
  }

 private:
  // log p, its slope g, and 1 - g
  struct Success {
    V t, log_p, slope, complement;

    explicit Success(V eta) : t(bounded_exp(eta)) {
      const V root = math::exp(-0.5 * t);
      const V q = root * root;
      const V u = 0.25 * t * t;
      const V s =
          1.0 +
          u * (1.0 / 6 + u * (1.0 / 120 +
                              u * (1.0 / 5040 + u * (1.0 / 362880 + u * (1.0 / 39916800 + u * (1.0 / 6227020800.0))))));
      const auto small = t < 1.0;
      const V one = broadcast<V>(1.0);
      const V log_factor = math::log(small ? s : one - q);
      log_p = small ? eta - 0.5 * t + log_factor : log_factor;
      slope = (small ? root : t * q) / (small ? s : one - q);
      // Bernoulli numbers over factorials: full relative accuracy where g is next to 1
      const V series = t * (0.5 - t * (1.0 / 12 - u * (1.0 / 180 - u * (1.0 / 1890 - u * (1.0 / 18900)))));
      complement = t < 0.25 ? series : 1.0 - slope;
    }
  };

  BinomialDatum<V> data_;
};

}  // namespace neargp
