// Contributions of a pack of data, in the terms that all response families share.
#pragma once

#include <type_traits>

#include "simd/simd.h"

namespace neargp {

// A family is a struct template over the pack V with these members:
//   `parameters`                     The number of parameters.
//   `closed_form`                    Whether the expectation is in closed form.
//   `scaled`                         Whether the family uses the weight itself, as a divisor of the dispersion.
//   `Family(parameters)`             Computes all that depends on the parameters alone.
//   `load(datum)`                    Computes all that depends on the datum, but not on eta.
//   `load_without_constant(datum)`   Optional: leaves out an expensive part of log p that is constant in eta.
//   `point(eta)`                     Returns all terms at eta.
// A family in closed form adds
//   `expectation(mean, variance)`    Returns all terms under a normal eta.
// The others add, for the quadrature,
//   `node(eta)`                      Returns value, slope and d_parameter without the parts that are constant in eta.
//   `finish(mean, variance, terms)`  Adds these parts, and those in closed form.
//   `strip()`                        Returns the distance of the nearest singularity of log p from the real axis.
// Where log p may bend within a small part of the normal density of eta, they add
//   `has_sharp_limits(sd)`           Returns a mask.
//   `expectation_at_sharp_limits(mean, sd, third_and_fourth)`   Returns all terms before finish().
//
// A family with `has_thresholds` takes `parameters` or more parameters, and its constructor Family(parameters, count)
// receives their number. Its d_parameter are the derivatives in the two ends of a datum, which its thresholds() sum up
// (thresholds.h).
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

// Returns the lanes of `one` where the mask is set, and those of `other` elsewhere.
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

// Returns whether any lane differs. Terms that depend on the weight alone are computed again only then, as most data
// are unweighted.
template <class V>
inline bool differ(V x, V y) {
  return max_lane(absolute(x - y)) > 0.0;
}

// Rates stay below exp(650), so that their sums are also finite. A response that far from its mean is less probable
// than anything that could be accepted.
template <class V>
inline V bounded_exp(V x) {
  return math::exp(smaller(x, broadcast<V>(650.0)));
}

}  // namespace neargp
