// Zero inflation of counts that are 0 with probability exp(-t): with probability zi a response is 0 whatever the count.
// Let L be the log odds of zi and x = -L - t. Then
//   log P(0) = log zi + log(1 + e^x).
// The probability that a zero is one of the counts is r = logistic(x). With q = 1 - r, the derivatives in t are
//   -r,   r q,   -r q (q - r).
// Since dL / d log zi = 1 / (1 - zi), the derivative in log zi is 1 - r dL / d log zi.
#pragma once

#include "likelihoods/special.h"
#include "likelihoods/terms.h"

namespace neargp {

template <class V>
class ZeroInflation {
 public:
  explicit ZeroInflation(double zi)
      : zi_(zi), log_zi_(math::log(broadcast<V>(zi))), log_rest_(math::log(broadcast<V>(1.0 - zi))) {}

  void load(V y) { y_ = y; }

  auto is_zero() const { return y_ < 0.5; }

  double log_odds() const { return get_lane(log_zi_ - log_rest_, 0); }

  // Sets value, slope and the derivative in log zi, which goes to number `parameter`. All are 0 where the response is
  // not 0. `a` is dt/deta. Returns r where the response is 0, else 0.
  V put_zero(V t, V a, LikelihoodTerms<V>& terms, int parameter) const {
    const Softplus<V> at = softplus(log_rest_ - log_zi_ - t);
    const auto zero = is_zero();
    terms.value = zero ? log_zi_ + at.value : V{};
    terms.slope = zero ? -at.probability * a : V{};
    terms.d_parameter[parameter] = zero ? 1.0 - at.probability / (1.0 - zi_) : V{};
    return zero ? at.probability : V{};
  }

  // Sets curvature and third derivative of zeros. `a`, `a1` and `a2` are the first three derivatives of t.
  void put_second_order(V t, V a, V a1, V a2, LikelihoodTerms<V>& terms) const {
    const Softplus<V> at = softplus(log_rest_ - log_zi_ - t);
    // beyond, exp() is no longer negligible against powers of a
    const V r = t < 600.0 ? at.probability : V{};
    const V both = r * at.complement;
    const auto zero = is_zero();
    terms.curvature = zero ? r * a1 - both * a * a : V{};
    terms.third = zero ? 3.0 * both * a * a1 - both * (1.0 - 2.0 * r) * a * a * a - r * a2 : V{};
  }

  // Adds the terms of responses that are not 0: those of the counts, log(1 - zi) and its derivative in log zi.
  void add_positive(const LikelihoodTerms<V>& counts, LikelihoodTerms<V>& terms, int parameter) const {
    const auto zero = is_zero();
    terms.value += zero ? V{} : counts.value + log_rest_;
    terms.slope += zero ? V{} : counts.slope;
    terms.curvature += zero ? V{} : counts.curvature;
    terms.third += zero ? V{} : counts.third;
    terms.d_parameter[parameter] += zero ? V{} : broadcast<V>(-zi_ / (1.0 - zi_));
  }

 private:
  double zi_;
  V log_zi_, log_rest_;
  V y_;
};

}  // namespace neargp
