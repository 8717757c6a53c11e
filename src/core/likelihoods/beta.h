// y ~ Beta(a, b) with a = mean * precision and b = (1 - mean) * precision. The mean is logistic(eta), and the precision
// is the parameter times the weight. The log density is
//   log Gamma(precision) - log Gamma(a) - log Gamma(b) + a log y + b log(1 - y) - log y - log(1 - y).
// Gamma functions have poles at 0, which precision times an extreme mean can reach. The formulas therefore use products
// A_j and B_j, which stay finite. With c_j = -1, 1, -2 for j = 1, 2, 3,
//   A_j = a^j psi_{j-1}(a) = a^j psi_{j-1}(a + 1) + c_j.
// Here psi_0 is the digamma function, and psi_1 and psi_2 are its derivatives. The slope is
//   l' = v (log y - log(1 - y)) - nu A_1 + mu B_1.
// With o = nu - mu and P = nu^2 A_2 + mu^2 B_2, the second derivative is l'' = o l' - P. The third derivative is
//   l''' = (o^2 - 2 mu nu) l' - 3 o P - nu^3 A_3 + mu^3 B_3.
// Poles of log p are at eta with imaginary part +- pi.
#pragma once

#include "likelihoods/special.h"
#include "likelihoods/terms.h"

namespace neargp {

template <class V>
struct BetaResponse {
  static constexpr int parameters = 1;
  static constexpr bool closed_form = false;
  static constexpr bool scaled = true;

  explicit BetaResponse(const double* parameter) : parameter_(parameter[0]) { weigh(broadcast<V>(1.0)); }

  void load(const Datum<V>& datum) {
    if (differ(datum.weight, weight_)) weigh(datum.weight);
    log_y_ = math::log(datum.y);
    log_complement_ = math::log(1.0 - datum.y);
  }

  V strip() const { return broadcast<V>(pi); }

  LikelihoodTerms<V> node(V eta) const { return At(*this, eta).first_order(*this); }

  void finish(V, V, LikelihoodTerms<V>& terms) const {
    terms.value += normalizer_ - log_y_ - log_complement_;
    terms.d_parameter[0] += d_normalizer_;
  }

  LikelihoodTerms<V> point(V eta) const {
    const At at(*this, eta);
    LikelihoodTerms<V> terms = at.first_order(*this);
    finish(eta, V{}, terms);
    const V odds = 1.0 - 2.0 * at.mu;
    const V p = at.nu * at.nu * at.second(at.a, at.of_a) + at.mu * at.mu * at.second(at.b, at.of_b);
    terms.curvature = p - odds * terms.slope;
    terms.third = (odds * odds - 2.0 * at.mu * at.nu) * terms.slope - 3.0 * odds * p -
                  at.nu * at.nu * at.nu * at.third(at.a, at.of_a) + at.mu * at.mu * at.mu * at.third(at.b, at.of_b);
    return terms;
  }

 private:
  struct At {
    V mu, nu, log_mu, log_nu, a, b;  // nu = 1 - mu
    LogGamma<V> of_a, of_b;          // at a + 1 and b + 1

    At(const BetaResponse& family, V eta) {
      const V u = math::exp(-absolute(eta));
      const V log_sum = log1p_unit(u);
      const V large = 1.0 / (1.0 + u);
      mu = eta > 0.0 ? large : u * large;
      nu = eta > 0.0 ? u * large : large;
      log_mu = smaller(eta, V{}) - log_sum;
      log_nu = smaller(-eta, V{}) - log_sum;
      a = family.precision_ * mu;
      b = family.precision_ * nu;
      of_a = log_gamma_1p(a);
      of_b = log_gamma_1p(b);
    }

    LikelihoodTerms<V> first_order(const BetaResponse& family) const {
      const V a1 = a * of_a.digamma - 1.0;
      const V b1 = b * of_b.digamma - 1.0;
      const V observed = a * family.log_y_ + b * family.log_complement_;
      LikelihoodTerms<V> terms;
      terms.value = 2.0 * family.log_precision_ + log_mu + log_nu - of_a.value - of_b.value + observed;
      terms.slope = nu * a * (family.log_y_ - family.log_complement_) - nu * a1 + mu * b1;
      terms.d_parameter[0] = observed - a1 - b1;
      return terms;
    }

    static V second(V x, const LogGamma<V>& function) { return x * x * function.trigamma + 1.0; }
    static V third(V x, const LogGamma<V>& function) { return x * x * x * function.tetragamma - 2.0; }
  };

  void weigh(V weight) {
    weight_ = weight;
    precision_ = parameter_ * weight;
    const LogGamma<V> function = log_gamma_1p(precision_);
    log_precision_ = math::log(precision_);
    normalizer_ = function.value - log_precision_;
    d_normalizer_ = precision_ * function.digamma - 1.0;
  }

  double parameter_;
  V weight_, precision_, log_precision_, normalizer_, d_normalizer_;
  V log_y_, log_complement_;
};

}  // namespace neargp
