// The step from the family named at run time to the struct that holds its formulas.
#pragma once

#include "covariance/families.h"
#include "covariance/prepared.h"

namespace neargp {

// The description of a family of correlations: plain data, for the CPU and for devices. The tables are those of
// matern_table.h, null for the families with closed forms.
template <class Real>
struct FamilyChoice {
  Family family;
  Real shape;
  const Real* value_table;
  const Real* shape_table;
};

// Inlined everywhere, so that no instruction set shares its code with another (simd.h).
inline __attribute__((always_inline)) FamilyChoice<double> family_choice(Family family, double shape,
                                                                         const MaternTable& table) {
  return {family, shape, table.value.empty() ? nullptr : table.value.data(),
          table.shape.empty() ? nullptr : table.shape.data()};
}

inline __attribute__((always_inline)) FamilyChoice<double> family_choice(const PreparedComponent& component) {
  return family_choice(component.family, component.shape, component.table);
}

// The choice of the correlation in time.
inline __attribute__((always_inline)) FamilyChoice<double> time_family_choice(const PreparedComponent& component) {
  return family_choice(component.space_time.time_family, component.space_time.time_shape, component.time_table);
}

// Calls action(family) with the struct of families.h or matern_table.h that evaluates
// the component.
NEARGP_CALLS_ACTION
template <class Real, class Action>
NEARGP_HD inline void with_family(const FamilyChoice<Real>& choice, Action&& action) {
  using Number = FormulaNumber<Real>;
  const Real& shape = choice.shape;
  switch (choice.family) {
#define NEARGP_FAMILY_CASE(name, Formula, initializer) \
  case Family::name: return action(Formula initializer);
    NEARGP_FORMULA_FAMILIES(NEARGP_FAMILY_CASE)
#undef NEARGP_FAMILY_CASE
    case Family::matern: break;
  }
  if (choice.value_table) return action(MaternTabulated<Real>{choice.value_table, choice.shape_table});
  if (choice.shape == 0.5) return action(Exponential{});
  if (choice.shape == 1.5) return action(Matern32{});
  if (choice.shape == 2.5) return action(Matern52{});
  return action(Matern72{});
}

template <class Action>
inline void with_family(const PreparedComponent& component, Action&& action) {
  with_family(family_choice(component), action);
}

}  // namespace neargp
