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

  LikelihoodTerms<V> node(V eta) const { return At(*this, eta).first_order(); }

  void finish(V, V, LikelihoodTerms<V>& terms) const {
    terms.value += normalizer_;
    terms.d_parameter[0] += (1.0 - share_) * y_;
  }

  LikelihoodTerms<V> point(V eta) const {
    const At at(*this, eta);
    LikelihoodTerms<V> terms = at.first_order();
    finish(eta, V{}, terms);
    terms.curvature = -terms.slope - at.rise.second;
    terms.third = terms.slope + 3.0 * at.rise.second + at.rise.third;
    return terms;
  }

 private:
  struct At {
    const Nbinom1Response& family;
    V a;
    Rise<V> rise;

    At(const Nbinom1Response& family, V eta)
        : family(family), a(bounded_exp(eta - family.log_phi_)), rise(a, eta - family.log_phi_, family.y_) {}

    LikelihoodTerms<V> first_order() const {
      LikelihoodTerms<V> terms;
      terms.value = rise.value - a * family.log_total_;
      terms.slope = rise.first - a * family.log_total_;
      terms.d_parameter[0] = -terms.slope - family.share_ * a;
      return terms;
    }
  };

  double phi_, share_;
  V log_phi_, log_total_;
  V y_, normalizer_;
};

}  // namespace neargp
