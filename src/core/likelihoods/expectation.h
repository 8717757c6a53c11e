// The loop over data, a pack at a time: loads, evaluates a family's terms, weights, stores and sums them.
#pragma once

#include <vector>

#include "base/types.h"
#include "likelihoods/likelihood.h"
#include "likelihoods/quadrature.h"
#include "likelihoods/special.h"
#include "likelihoods/terms.h"

namespace neargp {

// Integrates by the trapezoidal rule (quadrature.h), fine enough for all lanes. The curvature is -2 times the
// derivative of the sum in the variance, and not the sum of second derivatives. Value, slope and curvature then belong
// to one function, whatever its error. Higher derivatives are found likewise, by Hermite's polynomials. A sd below 1e-5
// of the strip is raised to it: log p is almost a parabola there, and the quotient by sd would only be noise.
template <class V, class Family>
LikelihoodTerms<V> expectation_by_equal_steps(const Family& family, V mean, V sd, bool third_and_fourth) {
  const QuadratureRule& rule = quadrature_rule(max_lane(sd / family.strip()));
  LikelihoodTerms<V> sum;
  for (int q = 0; q < rule.nodes; ++q) {
    const double weight = rule.weight[q];
    const LikelihoodTerms<V> node = family.node(mean + sd * rule.x[q]);
    sum.value += weight * node.value;
    sum.slope += weight * node.slope;
    sum.curvature -= (weight * rule.x[q]) * node.slope;
    if (third_and_fourth) {
      const double square = rule.x[q] * rule.x[q];
      sum.third += (weight * (square - 1.0)) * node.slope;
      sum.fourth += (weight * rule.x[q] * (square - 3.0)) * node.slope;
    }
    for (int p = 0; p < derivatives_of<Family>; ++p) sum.d_parameter[p] += weight * node.d_parameter[p];
  }
  sum.curvature = sum.curvature / sd;
  sum.third = sum.third / (sd * sd);
  sum.fourth = sum.fourth / (sd * sd * sd);
  return sum;
}

// A family with sharp limits integrates in its own steps where the limits are sharp. All other data use equal steps.
template <class V, class Family>
LikelihoodTerms<V> expectation_by_quadrature(const Family& family, V mean, V variance, bool third_and_fourth) {
  const V least = 1e-5 * family.strip();
  const V sd = larger(math::sqrt(larger(variance, V{})), least);
  LikelihoodTerms<V> sum;
  if constexpr (HasSharpLimits<Family>::value) {
    const auto sharp = family.has_sharp_limits(sd);
    const V is_sharp = sharp ? broadcast<V>(1.0) : V{};
    if (max_lane(is_sharp) > 0.0) {
      sum = choose(sharp, family.expectation_at_sharp_limits(mean, sd, third_and_fourth),
                   expectation_by_equal_steps(family, mean, sharp ? least : sd, third_and_fourth));
      family.finish(mean, variance, sum);
      return sum;
    }
  }
  sum = expectation_by_equal_steps(family, mean, sd, third_and_fourth);
  family.finish(mean, variance, sum);
  return sum;
}

template <class V, class Family>
class ExpectationLoop {
 public:
  ExpectationLoop(const std::vector<double>& parameters, const Observations& data, const double* mean,
                  const double* variance, const ExpectationOutput& out)
      : family_(family_of(parameters)), data_(data), mean_(mean), variance_(variance), out_(out) {}

  // Adds the value and the derivatives in the parameters to `sums`.
  void run(Index first, Index last, double* sums) {
    V total[1 + derivatives_of<Family>] = {};
    for (Index i = first; i < last; i += lanes) {
      const int count = last - i < lanes ? int(last - i) : lanes;
      const V weight = load(data_.weights, i, count);
      load_family({load(data_.y, i, count), load(data_.trials, i, count), weight});
      LikelihoodTerms<V> terms = evaluate(load(mean_, i, count), i, count);
      if constexpr (!Family::scaled) apply(terms, weight);
      store(terms, i, count);
      const V present = mask(count);
      total[0] += present * terms.value;
      if constexpr (HasThresholds<Family>::value) {
        family_.thresholds().add(present * terms.d_parameter[0], present * terms.d_parameter[1]);
      } else {
        for (int p = 0; p < Family::parameters; ++p) total[1 + p] += present * terms.d_parameter[p];
      }
    }
    if constexpr (HasThresholds<Family>::value) {
      sums[0] += sum_lanes(total[0]);
      family_.thresholds().add_to(sums + 1);
    } else {
      for (int s = 0; s < 1 + Family::parameters; ++s) sums[s] += sum_lanes(total[s]);
    }
  }

 private:
  static constexpr int lanes = PackTraits<V>::lanes;

  static Family family_of(const std::vector<double>& parameters) {
    if constexpr (HasThresholds<Family>::value) {
      return Family(parameters.data(), int(parameters.size()));
    } else {
      return Family(parameters.data());
    }
  }

  void load_family(const Datum<V>& datum) {
    if constexpr (HasDearConstant<Family>::value) {
      if (data_.without_constant) return family_.load_without_constant(datum);
    }
    family_.load(datum);
  }

  LikelihoodTerms<V> evaluate(V mean, Index i, int count) const {
    if (!variance_) return family_.point(mean);
    const V variance = load(variance_, i, count);
    if constexpr (Family::closed_form) {
      return family_.expectation(mean, variance);
    } else {
      return expectation_by_quadrature(family_, mean, variance, out_.third || out_.fourth);
    }
  }

  // Lanes beyond the last datum repeat it.
  static V load(const double* values, Index i, int count) {
    if (!values) return broadcast<V>(1.0);
    V pack;
    if (count == lanes) {
      std::memcpy(&pack, values + i, sizeof pack);
      return pack;
    }
    for (int lane = 0; lane < lanes; ++lane) set_lane(pack, lane, values[i + (lane < count ? lane : count - 1)]);
    return pack;
  }

  static void store(V pack, double* values, Index i, int count) {
    if (!values) return;
    if (count == lanes) {
      std::memcpy(values + i, &pack, sizeof pack);
      return;
    }
    for (int lane = 0; lane < count; ++lane) values[i + lane] = get_lane(pack, lane);
  }

  void store(const LikelihoodTerms<V>& terms, Index i, int count) const {
    store(terms.value, out_.value, i, count);
    store(terms.slope, out_.slope, i, count);
    store(terms.curvature, out_.curvature, i, count);
    store(terms.third, out_.third, i, count);
    store(terms.fourth, out_.fourth, i, count);
  }

  static V mask(int count) {
    V present = V{};
    for (int lane = 0; lane < count; ++lane) set_lane(present, lane, 1.0);
    return present;
  }

  static void apply(LikelihoodTerms<V>& terms, V weight) {
    terms.value *= weight;
    terms.slope *= weight;
    terms.curvature *= weight;
    terms.third *= weight;
    terms.fourth *= weight;
    for (int p = 0; p < derivatives_of<Family>; ++p) terms.d_parameter[p] *= weight;
  }

  Family family_;
  const Observations& data_;
  const double* mean_;
  const double* variance_;
  const ExpectationOutput& out_;
};

}  // namespace neargp
