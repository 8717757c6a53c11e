// The rise D(a, y) = log Gamma(a + y) - log Gamma(a) for a count y. Its products are A_j = a^j D_j with the j-th
// derivative D_j in a. The products stay finite as a goes to 0.
#pragma once

#include "likelihoods/special.h"

namespace neargp {

// Uses log Gamma(x) = log Gamma(x + 1) - log x for both arguments. Differences of derivatives at a large a are below
// rounding. There sums over j < y replace them: of -(1 + j/a)^-2 for A_2, and of 2(1 + j/a)^-3 for A_3.
template <class V>
struct Rise {
  V value{}, first{}, second{}, third{};

  Rise(V a, V log_a, V y) {
    if (!(max_lane(y) > 0.0)) return;
    const V sum = a + y;
    const V share = a / sum;
    const LogGamma<V> upper = log_gamma_1p(sum), lower = log_gamma_1p(a);
    const auto none = y < 0.5;
    const V one = broadcast<V>(1.0);
    value = none ? V{} : upper.value - lower.value - math::log(none ? one : sum) + log_a;
    first = none ? V{} : a * (upper.digamma - lower.digamma) - share + 1.0;
    const auto large = a > 1e10;
    const V pairs = y * (y - 1.0) / a;
    second = large ? pairs - y : a * a * (upper.trigamma - lower.trigamma) + share * share - 1.0;
    third = large ? 2.0 * y - 3.0 * pairs
                  : a * a * a * (upper.tetragamma - lower.tetragamma) - 2.0 * share * share * share + 2.0;
    second = none ? V{} : second;
    third = none ? V{} : third;
  }
};

}  // namespace neargp
