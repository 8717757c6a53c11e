// The product of all factors but one, for each of them, without a division.
#pragma once

#include <vector>

namespace neargp {

inline void products_of_others(const std::vector<double>& factors, std::vector<double>& others) {
  double product = 1.0;
  for (std::size_t i = 0; i < factors.size(); ++i) {
    others[i] = product;
    product *= factors[i];
  }
  product = 1.0;
  for (std::size_t i = factors.size(); i-- > 0;) {
    others[i] *= product;
    product *= factors[i];
  }
}

}  // namespace neargp
