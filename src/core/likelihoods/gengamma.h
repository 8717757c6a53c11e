// y with mean exp(eta) whose power (y / s)^p is gamma of shape k and scale 1. The mean is s Gamma(k + 1/p) / Gamma(k),
// so that log s = eta + c with c = log Gamma(k) - log Gamma(k + 1/p). With z = log y - c - eta the log density is
//   log p - log Gamma(k) - log y + p k z - e^(p z).
// Under a normal eta with variance v, let r = E e^(p z) = exp(p z(mean) + p^2 v / 2). Then
// E z e^(p z) = r (z(mean) + p v). The derivatives in eta are
//   l' = p(e^(pz) - k),   l'' = -p^2 e^(pz),   l''' = p^3 e^(pz).
// Those in the parameters are
//   dl/dk=-psi(k)+pz+l'c_k,   c_k=psi(k)-psi(k+1/p),
//   dl/dp=1/p-zl'/p+l'c_p,   c_p=psi(k+1/p)/p^2.
#pragma once

#include "likelihoods/special.h"
#include "likelihoods/terms.h"

namespace neargp {

template <class V>
struct GengammaResponse {
  static constexpr int parameters = 2;
  static constexpr bool closed_form = true;
  static constexpr bool scaled = false;

  // log Gamma(x) = log Gamma(x + 1) - log x, psi(x) = psi(x + 1) - 1/x
  explicit GengammaResponse(const double* parameter) : shape_(parameter[0]), power_(parameter[1]) {
    const V k = broadcast<V>(shape_), of_mean = broadcast<V>(shape_ + 1.0 / power_);
    const LogGamma<V> own = log_gamma_1p(k), other = log_gamma_1p(of_mean);
    const V log_gamma = own.value - math::log(k);
    psi_ = own.digamma - 1.0 / shape_;
    const V psi_of_mean = other.digamma - 1.0 / of_mean;
    center_ = log_gamma - (other.value - math::log(of_mean));
    center_by_shape_ = psi_ - psi_of_mean;
    center_by_power_ = psi_of_mean / (power_ * power_);
    normalizer_ = math::log(broadcast<V>(power_)) - log_gamma;
  }

  void load(const Datum<V>& datum) { log_y_ = math::log(datum.y); }

  LikelihoodTerms<V> point(V eta) const { return expectation(eta, V{}); }

  LikelihoodTerms<V> expectation(V mean, V variance) const {
    const V z = log_y_ - center_ - mean;
    const V ratio = bounded_exp(power_ * (z + 0.5 * power_ * variance));
    const V slope = power_ * (ratio - shape_);
    LikelihoodTerms<V> terms;
    terms.value = normalizer_ - log_y_ + power_ * shape_ * z - ratio;
    terms.slope = slope;
    terms.curvature = power_ * power_ * ratio;
    terms.third = power_ * terms.curvature;
    terms.d_parameter[0] = shape_ * (power_ * z - psi_ + slope * center_by_shape_);
    terms.d_parameter[1] = 1.0 + power_ * (shape_ * z - ratio * (z + power_ * variance) + slope * center_by_power_);
    return terms;
  }

 private:
  double shape_, power_;
  V psi_, center_, center_by_shape_, center_by_power_, normalizer_;
  V log_y_;
};

}  // namespace neargp
