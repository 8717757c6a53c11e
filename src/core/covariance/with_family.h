// From the family named at run time to the struct that holds its formulas.
#pragma once

#include "covariance/families.h"
#include "covariance/prepared.h"

namespace neargp {

// Calls action(family) with the struct of families.h or matern_table.h that evaluates
// the component.
template <class Action>
inline void with_family(const PreparedComponent& component, Action&& action) {
  switch (component.family) {
    case Family::exponential: return action(Exponential{});
    case Family::gaussian: return action(Gaussian{});
    case Family::powered_exponential: return action(PoweredExponential{component.shape});
    case Family::cauchy: return action(Cauchy{component.shape});
    case Family::matern: break;
  }
  const MaternTable& table = component.table;
  if (!table.value.empty()) return action(MaternTabulated{table.value.data(), table.shape.data()});
  if (component.shape == 0.5) return action(Exponential{});
  if (component.shape == 1.5) return action(Matern32{});
  if (component.shape == 2.5) return action(Matern52{});
  return action(Matern72{});
}

}  // namespace neargp
