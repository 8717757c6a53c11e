// Counts of mean exp(eta) and variance mean + mean^2 / size. With psi = eta - log size,
//   log p = log Gamma(y + size) - log Gamma(size) - log y! + y psi - (y + size) log(1 + e^psi).
#pragma once

#include "likelihoods/special.h"
#include "likelihoods/terms.h"
#include "likelihoods/zero_of_counts.h"

namespace neargp {

template <class V>
struct NegativeBinomialResponse {
  static constexpr int parameters = 1;
  static constexpr bool closed_form = false;
  static constexpr bool scaled = false;

  explicit NegativeBinomialResponse(const double* parameter)
      : size_(parameter[0]), log_size_(math::log(broadcast<V>(parameter[0]))) {
    of_size_ = log_gamma_1p(broadcast<V>(size_));
  }

  // log Gamma(x) = log Gamma(x + 1) - log x, digamma(x) = digamma(x + 1) - 1/x
  void load(const Datum<V>& datum) {
    y_ = datum.y;
    total_ = y_ + size_;
    const LogGamma<V> of_total = log_gamma_1p(total_);
    const V log_ratio = math::log(total_ / size_);
    normalizer_ = of_total.value - of_size_.value - log_ratio - log_gamma_1p(y_).value;
    d_normalizer_ = size_ * (of_total.digamma - of_size_.digamma) + y_ / total_;
  }

  // of log(1 + e^psi)
  V strip() const { return broadcast<V>(pi); }

  LikelihoodTerms<V> node(V eta) const {
    const V psi = eta - log_size_;
    const Softplus<V> at = softplus(psi);
    LikelihoodTerms<V> terms;
    terms.value = y_ * psi - total_ * at.value;
    terms.slope = y_ - total_ * at.probability;
    terms.d_parameter[0] = -size_ * at.value - terms.slope;
    return terms;
  }

  void finish(V, V, LikelihoodTerms<V>& terms) const {
    terms.value += normalizer_;
    terms.d_parameter[0] += d_normalizer_;
  }

  LikelihoodTerms<V> point(V eta) const {
    LikelihoodTerms<V> terms = node(eta);
    finish(eta, V{}, terms);
    const Softplus<V> at = softplus(eta - log_size_);
    terms.curvature = total_ * at.probability * at.complement;
    terms.third = terms.curvature * (2.0 * at.probability - 1.0);
    return terms;
  }

  ZeroOfCounts<V> zero(V eta) const {
    const V psi = eta - log_size_;
    return {size_, log_size_, psi, softplus(psi)};
  }

 private:
  double size_;
  V log_size_;
  LogGamma<V> of_size_;
  V y_, total_, normalizer_, d_normalizer_;
};

}  // namespace neargp
