// Counts of mean exp(eta) and variance (1 + phi) mean: negative binomial with the size a = exp(eta) / phi. With
// L = log(1 + phi) and the rise D(a, y) of rise.h,
//   log p = D(a, y) - a L - log y! + y (log phi - L).
// The derivatives in eta are
//   l' = A_1 - aL,   l'' = A_1 + A_2 - aL,   l''' = A_1 + 3A_2 + A_3 - aL.
// Let s = phi/(1 + phi) be the derivative of L in log phi. That of log p is -l' - as + y(1 - s), since a falls by a.
// The density is not log-concave. Poles of log p are at eta with imaginary part +- pi.
#pragma once

#include "likelihoods/rise.h"
#include "likelihoods/terms.h"

namespace neargp {

template <class V>
struct Nbinom1Response {
  static constexpr int parameters = 1;
  static constexpr bool closed_form = false;
  static constexpr bool scaled = false;

  explicit Nbinom1Response(const double* parameter)
      : phi_(parameter[0]), share_(phi_ / (1.0 + phi_)), log_phi_(math::log(broadcast<V>(phi_))),
        log_total_(math::log(broadcast<V>(1.0 + phi_))) {
    // log(1 + phi) to full relative accuracy, also of a small phi
    if (phi_ <= 1.0) log_total_ = log1p_unit(broadcast<V>(phi_));
  }

  void load(const Datum<V>& datum) {
    y_ = datum.y;
    normalizer_ = y_ * (log_phi_ - log_total_) - log_gamma_1p(y_).value;
  }

  V strip() const { return broadcast<V>(pi); }

  // The terms of the rise alone. Those of -a L rise too steeply for a sum over nodes, and are known in closed form.
  LikelihoodTerms<V> node(V eta) const {
    const At at(*this, eta);
    LikelihoodTerms<V> terms;
    terms.value = at.rise.value;
    terms.slope = at.rise.first;
    terms.d_parameter[0] = -at.rise.first;
    return terms;
  }

  void finish(V mean, V variance, LikelihoodTerms<V>& terms) const {
    const V a = bounded_exp(mean + 0.5 * variance - log_phi_), al = a * log_total_;
    terms.value += normalizer_ - al;
    terms.slope -= al;
    terms.curvature += al;
    terms.third -= al;
    terms.fourth -= al;
    terms.d_parameter[0] += (1.0 - share_) * y_ + al - share_ * a;
  }

  LikelihoodTerms<V> point(V eta) const {
    const At at(*this, eta);
    LikelihoodTerms<V> terms = node(eta);
    finish(eta, V{}, terms);
    terms.curvature = -terms.slope - at.rise.second;
    terms.third = terms.slope + 3.0 * at.rise.second + at.rise.third;
    terms.fourth = V{};
    return terms;
  }

 private:
  struct At {
    Rise<V> rise;

    At(const Nbinom1Response& family, V eta)
        : rise(bounded_exp(eta - family.log_phi_), eta - family.log_phi_, family.y_) {}
  };

  double phi_, share_;
  V log_phi_, log_total_;
  V y_, normalizer_;
};

}  // namespace neargp
