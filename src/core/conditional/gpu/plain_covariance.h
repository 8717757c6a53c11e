// The covariances of most fits, as types for the compiler: one component, of a family without a parameter of its own,
// and one output. The loop over pairs is then without branches, except for the exponential's division by a distance. It
// keeps its fields in registers, and computes two pairs at a time.
#pragma once

#include <type_traits>

#include "conditional/gpu/covariance.h"

namespace neargp {

// A constant known at compile time hides the field that holds it at run time.
template <class Real, class Correlation>
struct PlainComponent : TeamComponent<Real> {
  static constexpr bool wants_shape = false;

  NEARGP_HD explicit PlainComponent(const TeamComponent<Real>& component) : TeamComponent<Real>(component) {}

  template <class Action>
  NEARGP_HD void with_correlation(const Action& action) const {
    action(Correlation{});
  }
};

template <class Real, class Correlation>
struct PlainCovariance : TeamCovariance<Real> {
  using Component = PlainComponent<Real, Correlation>;
  static constexpr int pairs_together = 2;
  static constexpr int components = 1;
  static constexpr int outputs = 0;

  PlainCovariance(const TeamCovariance<Real>& covariance) : TeamCovariance<Real>(covariance) {}
};

// Calls action(correlation) if a covariance is plain, and returns whether it is.
template <class Action>
bool with_plain_correlation(const PreparedCovariance& covariance, const Action& action) {
  const PreparedComponent& component = covariance.components[0];
  if (covariance.components.size() > 1 || covariance.outputs() > 0 || component.wants_shape()) return false;
  bool plain = false;
  with_family(component, [&](const auto& correlation) {
    if constexpr (std::is_empty<std::decay_t<decltype(correlation)>>::value) {
      plain = true;
      action(correlation);
    }
  });
  return plain;
}

}  // namespace neargp
