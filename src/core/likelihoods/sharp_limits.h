// The expectation of log Phi(-e) under a normal e whose standard deviation may be far above 1. Here e is the distance
// of a variable beyond its limit, in standard deviations of its noise. Equal steps that are fine enough for the bend at
// 0 would be many.
//
// log Phi(-e) bends from 0 to a parabola. Let g(e) = E [max(e + xi, 0)^2] / 2 for a standard normal xi. The expectation
// of the part -g(e) is -T^2 g(mean / T), where T^2 = 1 + sd^2. The remainder log Phi(-e) + g(e) vanishes to the left
// and grows as a logarithm to the right. It is summed by the trapezoidal rule in t, where e = 2.8 sinh(t). Its
// singularities, near the diagonals of the complex plane, are about pi / 4 away from the real axis of t.
#pragma once

#include <cmath>

#include "likelihoods/special.h"
#include "likelihoods/terms.h"

namespace neargp {

// With y = |e|: g(-y) = [(y^2 + 1) Phi(-y) - y phi(y)] / 2 and g(y) = (y^2 + 1) / 2 - g(-y).
template <class V>
struct BentParabola {
  V value, slope, second, density;  // g, its first and second derivative Phi(e), its third phi(e)
  V remainder, remainder_slope;     // log Phi(-e) + g(e), and its derivative

  explicit BentParabola(V e) {
    const V y = absolute(e);
    const NormalTails<V> tails(y);
    const auto beyond = e > 0.0;
    density = tails.density;
    const V small = 0.5 * density * ((y * y + 1.0) * tails.mills - y);
    const V small_slope = density * (1.0 - y * tails.mills);
    value = beyond ? 0.5 * (y * y + 1.0) - small : small;
    slope = beyond ? y + small_slope : small_slope;
    second = beyond ? tails.upper : density * tails.mills;
    remainder = beyond ? 0.5 - half_log_two_pi + math::log(tails.mills) - small : tails.log_upper + small;
    remainder_slope = small_slope - (beyond ? 1.0 / tails.mills - y : density / tails.upper);
  }
};

// Nodes e = scale sinh(t) with the weights of N(mean, sd^2). Steps are shorter where that density is narrow in t.
template <class V>
class GradedNodes {
 public:
  GradedNodes(V mean, V sd) : mean_(mean), sd_(sd), low_(inverse(larger(mean - reach * sd, broadcast<V>(-vanishing)))) {
    const V length = larger(inverse(mean + reach * sd) - low_, V{});
    const V longest = smaller(0.5 * sd / math::sqrt(mean * mean + scale * scale), broadcast<V>(0.16));
    steps_ = 1 + int(std::ceil(max_lane(length / longest)));
    step_ = length / double(steps_);
  }

  int steps() const { return steps_; }

  // Node q of 0 ... steps.
  void find(int q, V& e, V& x, V& weight) const {
    const V up = math::exp(low_ + double(q) * step_), down = 1.0 / up;
    e = (0.5 * scale) * (up - down);
    x = (e - mean_) / sd_;
    weight = step_ * (0.5 * scale) * (up + down) * normal_density(x) / sd_;
  }

 private:
  static constexpr double scale = 2.8, reach = 7.0;
  static constexpr double vanishing = 9.0;  // the remainder at -9 is 1e-19

  static V inverse(V e) {
    const V size = absolute(e) / scale;
    const V t = math::log(size + math::sqrt(size * size + 1.0));
    return e < 0.0 ? -t : t;
  }

  V mean_, sd_, low_, step_;
  int steps_;
};

// The terms, with e in place of eta, and the derivative in the logarithm of the noise's standard deviation.
template <class V>
LikelihoodTerms<V> expected_log_tail(V mean, V sd, bool third_and_fourth) {
  const V spread = math::sqrt(1.0 + sd * sd), at = mean / spread;
  const BentParabola<V> closed(at);
  LikelihoodTerms<V> sum, rest;
  sum.value = -spread * spread * closed.value;
  sum.slope = -spread * closed.slope;
  sum.d_parameter[0] = sd * sd * closed.second - mean * sum.slope;
  const GradedNodes<V> nodes(mean, sd);
  for (int q = 0; q <= nodes.steps(); ++q) {
    V e, x, weight;
    nodes.find(q, e, x, weight);
    const BentParabola<V> node(e);
    const V slope = weight * node.remainder_slope;
    sum.value += weight * node.remainder;
    sum.slope += slope;
    sum.d_parameter[0] -= e * slope;
    rest.curvature -= x * slope;
    if (third_and_fourth) {
      rest.third += (x * x - 1.0) * slope;
      rest.fourth += x * (x * x - 3.0) * slope;
    }
  }
  sum.curvature = closed.second + rest.curvature / sd;
  sum.third = rest.third / (sd * sd) - closed.density / spread;
  sum.fourth = rest.fourth / (sd * sd * sd) + at * closed.density / (spread * spread);
  return sum;
}

}  // namespace neargp
