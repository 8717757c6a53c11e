// The code that the links of binomial responses share, y successes of so many trials. The log density is
//   log p = log choose(trials, y) + y log p(eta) + (trials - y) log(1 - p(eta)).
#pragma once

#include "likelihoods/special.h"
#include "likelihoods/terms.h"

namespace neargp {

template <class V>
struct BinomialDatum {
  V y{}, failures{}, trials{}, log_choose{};

  BinomialDatum() = default;
  explicit BinomialDatum(const Datum<V>& datum) : y(datum.y), failures(datum.trials - datum.y), trials(datum.trials) {
    if (max_lane(trials) > 1.0)
      log_choose = log_gamma_1p(trials).value - log_gamma_1p(y).value - log_gamma_1p(failures).value;
  }
};

}  // namespace neargp
