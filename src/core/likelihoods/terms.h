// Contributions of a pack of data, in the terms that all response families share.
#pragma once

#include <type_traits>

#include "simd/simd.h"

namespace neargp {

// A family is a struct template over the pack V with
//   parameters, closed_form, scaled     constants; scaled: it uses the weight itself, as a divisor of the dispersion
//   Family(parameters)                  what depends on the parameters alone
//   load(datum)                         what depends on the datum, but not on eta
//   load_without_constant(datum)        the same, short of a part of log p that is constant in eta, where it is dear
//   point(eta)                          all terms at eta
// and, when closed_form, expectation(mean, variance). Others have, for the quadrature,
//   node(eta)                           value, slope and d_parameter, short of what is constant in eta
//   finish(mean, terms)                 which is added here
//   strip()                             distance of the nearest singularity of log p from the real axis
// and, where log p may bend within a small part of that normal density,
//   has_sharp_limits(sd)                a mask
//   expectation_at_sharp_limits(mean, sd, third_and_fourth)   all terms short of finish()
//
// One with `has_thresholds` has any number of parameters, of which Family(parameters, count) is told, but at least
// `parameters`; its d_parameter are those in the two ends of a datum, which its thresholds() sum up (thresholds.h).
template <class V>
struct Datum {
  V y, trials, weight;
};

template <class V>
struct LikelihoodTerms {
  V value{}, slope{}, curvature{}, third{}, fourth{};
  V d_parameter[2]{};  // derivative of the value in the logarithms of the parameters
};

template <class Family, class = void>
struct HasThresholds : std::false_type {};

template <class Family>
struct HasThresholds<Family, std::void_t<decltype(Family::has_thresholds)>> : std::true_type {};

template <class Family, class = void>
struct HasDearConstant : std::false_type {};

template <class Family>
struct HasDearConstant<Family, std::void_t<decltype(&Family::load_without_constant)>> : std::true_type {};

template <class Family, class = void>
struct HasSharpLimits : std::false_type {};

template <class Family>
struct HasSharpLimits<Family, std::void_t<decltype(&Family::expectation_at_sharp_limits)>> : std::true_type {};

// The lanes of one where the mask is set, of the other elsewhere.
template <class Mask, class V>
inline LikelihoodTerms<V> choose(Mask mask, const LikelihoodTerms<V>& one, const LikelihoodTerms<V>& other) {
  LikelihoodTerms<V> terms;
  terms.value = mask ? one.value : other.value;
  terms.slope = mask ? one.slope : other.slope;
  terms.curvature = mask ? one.curvature : other.curvature;
  terms.third = mask ? one.third : other.third;
  terms.fourth = mask ? one.fourth : other.fourth;
  for (int p = 0; p < 2; ++p) terms.d_parameter[p] = mask ? one.d_parameter[p] : other.d_parameter[p];
  return terms;
}

template <class Family>
constexpr int derivatives_of = HasThresholds<Family>::value ? 2 : Family::parameters;

// Returns whether any lane differs. Terms that depend on the weight alone are computed again only then, and most data
// have no weights.
template <class V>
inline bool differ(V x, V y) {
  return max_lane(absolute(x - y)) > 0.0;
}

// Rates stay below exp(650), so that their sums are also finite: responses that are that far from their mean have a log
// density beyond any that could be accepted.
template <class V>
inline V bounded_exp(V x) {
  return math::exp(smaller(x, broadcast<V>(650.0)));
}

}  // namespace neargp
