// The asymmetric Laplace distribution of quantile regression (Yu and Moyeed 2001), whose quantile tau is eta:
//
//     `log p = log(tau (1 - tau)) - log s - rho(u),   rho(u) = tau u + max(-u, 0),   u = (y - eta) / s`.
//
// Its kink is at eta = y. The expectation under eta ~ N(m, v) is smooth. With c = sqrt(v) and z = (y - m) / c,
//
//     `E max(eta - y, 0) = c (phi(z) - z Phi(-z))`
//     `value = log(tau (1 - tau)) - log s - [tau (y - m) + c (phi(z) - z Phi(-z))] / s`
//     `slope = [tau - Phi(-z)] / s,     curvature = phi(z) / (s c)`
//     `third = -z phi(z) / (s c^2),     fourth = (1 - z^2) phi(z) / (s c^3)`.
//
// For a known eta, curvature and higher derivatives are 0, as on both sides of the kink.
#pragma once

#include <cmath>

#include "likelihoods/special.h"
#include "likelihoods/terms.h"

namespace neargp {

template <class V>
struct AsymmetricLaplaceResponse {
  static constexpr int parameters = 2;
  static constexpr bool closed_form = true;
  static constexpr bool scaled = false;

  explicit AsymmetricLaplaceResponse(const double* parameter)
      : scale_(parameter[0]), tau_(parameter[1]), log_constant_(std::log(tau_ * (1.0 - tau_)) - std::log(scale_)) {}

  void load(const Datum<V>& datum) { y_ = datum.y; }

  LikelihoodTerms<V> point(V eta) const {
    const V residual = y_ - eta;
    const V one = broadcast<V>(1.0);
    LikelihoodTerms<V> terms = with_check_loss(residual, larger(-residual, V{}));
    terms.slope = (tau_ - (residual < 0.0 ? one : V{})) / scale_;
    return terms;
  }

  // Below a ten millionth of the scale the distribution of eta counts as that wide.
  LikelihoodTerms<V> expectation(V mean, V variance) const {
    const V sd = larger(math::sqrt(larger(variance, V{})), broadcast<V>(1e-7 * scale_));
    const V residual = y_ - mean;
    const V z = residual / sd;
    const V distance = absolute(z);
    const V density = normal_density(distance);
    const V tail = density * mills_ratio(distance);     // Phi(-|z|)
    const V excess = sd * (density - distance * tail);  // E max(eta - y, 0) for z > 0
    const auto above = z > 0.0;
    LikelihoodTerms<V> terms = with_check_loss(residual, above ? excess : excess - residual);
    const V upper = above ? tail : 1.0 - tail;
    const V unit = density / (scale_ * sd);
    terms.slope = (tau_ - upper) / scale_;
    terms.curvature = unit;
    terms.third = -z * unit / sd;
    terms.fourth = (1.0 - z * z) * unit / (sd * sd);
    return terms;
  }

 private:
  // `shortfall`: the expectation of max(eta - y, 0).
  LikelihoodTerms<V> with_check_loss(V residual, V shortfall) const {
    const V loss = (tau_ * residual + shortfall) / scale_;
    LikelihoodTerms<V> terms;
    terms.value = log_constant_ - loss;
    terms.d_parameter[0] = loss - 1.0;
    terms.d_parameter[1] = 1.0 - tau_ / (1.0 - tau_) - tau_ * residual / scale_;
    return terms;
  }

  double scale_, tau_, log_constant_;
  V y_;
};

}  // namespace neargp
