// y successes of so many trials. The probability of success is Beta(a, b) with a = mean * precision,
// b = (1 - mean) * precision and mean = logistic(eta). With the rise D(a, y) of rise.h,
//   log p = log choose(trials, y) + D(a, y) + D(b, trials - y) - D(precision, trials).
// With mu for the mean and nu = 1 - mu, d a / d eta = nu a and d b / d eta = -mu b. The formulas use the products A_j
// of the rise of a, and B_j for b likewise. The slope is l' = nu A_1 - mu B_1. With o = nu - mu and Q = nu^2 A_2 + mu^2
// B_2, the second derivative is l'' = o l' + Q. The third derivative is
//   l''' = (o^2 - 2 mu nu) l' + 3 o Q + nu^3 A_3 - mu^3 B_3.
// The density is not log-concave. Poles of log p are at eta with imaginary part +- pi.
#pragma once

#include "likelihoods/binomial.h"
#include "likelihoods/rise.h"

namespace neargp {

template <class V>
struct BetabinomialResponse {
  static constexpr int parameters = 1;
  static constexpr bool closed_form = false;
  static constexpr bool scaled = false;

  explicit BetabinomialResponse(const double* parameter)
      : precision_(parameter[0]), log_precision_(math::log(broadcast<V>(parameter[0]))) {}

  void load(const Datum<V>& datum) {
    data_ = BinomialDatum<V>(datum);
    const Rise<V> total(broadcast<V>(precision_), log_precision_, data_.trials);
    normalizer_ = data_.log_choose - total.value;
    d_normalizer_ = -total.first;
  }

  V strip() const { return broadcast<V>(pi); }

  LikelihoodTerms<V> node(V eta) const { return At(*this, eta).first_order(); }

  void finish(V, V, LikelihoodTerms<V>& terms) const {
    terms.value += normalizer_;
    terms.d_parameter[0] += d_normalizer_;
  }

  LikelihoodTerms<V> point(V eta) const {
    const At at(*this, eta);
    LikelihoodTerms<V> terms = at.first_order();
    finish(eta, V{}, terms);
    const V odds = at.nu - at.mu;
    const V q = at.nu * at.nu * at.a.second + at.mu * at.mu * at.b.second;
    terms.curvature = -odds * terms.slope - q;
    terms.third = (odds * odds - 2.0 * at.mu * at.nu) * terms.slope + 3.0 * odds * q +
                  at.nu * at.nu * at.nu * at.a.third - at.mu * at.mu * at.mu * at.b.third;
    return terms;
  }

 private:
  struct At {
    V mu, nu;  // nu = 1 - mu
    Rise<V> a, b;

    At(const BetabinomialResponse& family, V eta) : At(family, softplus(eta), softplus(-eta)) {}

    At(const BetabinomialResponse& family, const Softplus<V>& at, const Softplus<V>& of_negative)
        : mu(at.probability), nu(at.complement),
          a(family.precision_ * mu, family.log_precision_ - of_negative.value, family.data_.y),
          b(family.precision_ * nu, family.log_precision_ - at.value, family.data_.failures) {}

    LikelihoodTerms<V> first_order() const {
      LikelihoodTerms<V> terms;
      terms.value = a.value + b.value;
      terms.slope = nu * a.first - mu * b.first;
      terms.d_parameter[0] = a.first + b.first;
      return terms;
    }
  };

  double precision_;
  V log_precision_, normalizer_, d_normalizer_;
  BinomialDatum<V> data_;
};

}  // namespace neargp
