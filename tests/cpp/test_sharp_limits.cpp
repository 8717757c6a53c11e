#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "core_fixtures.h"
#include "likelihood_fixtures.h"

using namespace neargp;
using namespace fixtures;

namespace {

using Real = long double;

const double infinity = std::numeric_limits<double>::max();

// The terms of one datum, with eta ~ N(mean, sd^2), by Simpson's rule of steps that follow the bends.
struct FineSum {
  Real value = 0, slope = 0, curvature = 0, third = 0, fourth = 0, d_log_sd = 0;
};

// log Phi(-e) and its derivative in long double, beyond e = 30 by Laplace's continued fraction.
struct Tail {
  Real value, slope;

  explicit Tail(Real e) {
    const Real density = -0.5L * e * e - 0.5L * std::log(2 * std::acos(-1.0L));
    Real fraction = e;
    for (int k = 60; k > 0; --k) fraction = e + k / fraction;
    value = e < 30 ? std::log(0.5L * std::erfc(e / std::sqrt(2.0L))) : density - std::log(fraction);
    slope = e < 30 ? -std::exp(density - value) : -fraction;
  }
};

void add(FineSum& sum, Real e, Real sign, Real x, Real s, Real noise, Real weight) {
  const Tail tail(e);
  const Real slope = sign * tail.slope / noise;
  sum.value += weight * tail.value;
  sum.slope += weight * slope;
  sum.curvature -= weight * slope * x / s;
  sum.third += weight * slope * (x * x - 1) / (s * s);
  sum.fourth += weight * slope * x * (x * x - 3) / (s * s * s);
  sum.d_log_sd -= weight * e * tail.slope;
}

// One limit: bends at e = 0 in units of the noise, and at the scale of the density.
FineSum fine_sum(double limit, double sign, double mean, double sd, double noise) {
  std::vector<Real> breaks;
  for (Real e = 0.25L; e < 1e9L; e += std::max(0.25L, 0.05L * e))
    for (const Real side : {-1.0L, 1.0L}) breaks.push_back(limit + sign * side * e * noise);
  breaks.push_back(limit);
  for (Real x = -12; x <= 12; x += 0.1L) breaks.push_back(mean + x * sd);
  std::sort(breaks.begin(), breaks.end());
  FineSum sum;
  // Gauss and Legendre's rule of five nodes
  const Real nodes[] = {0, 0.538469310105683091036L, 0.906179845938663992798L};
  const Real weights[] = {0.568888888888888888889L, 0.478628670499366468041L, 0.236926885056189087514L};
  for (std::size_t b = 0; b + 1 < breaks.size(); ++b) {
    if (breaks[b + 1] < mean - 12 * sd || breaks[b] > mean + 12 * sd) continue;
    const Real middle = 0.5L * (breaks[b] + breaks[b + 1]), half = 0.5L * (breaks[b + 1] - breaks[b]);
    for (int q = -2; q <= 2; ++q) {
      const Real eta = middle + half * std::copysign(nodes[std::abs(q)], Real(q)), x = (eta - mean) / sd;
      const Real density = std::exp(-0.5L * x * x) / std::sqrt(2 * std::acos(-1.0L)) / sd;
      add(sum, sign * (eta - limit) / noise, sign, x, sd, noise, half * weights[std::abs(q)] * density);
    }
  }
  return sum;
}

double error(double value, Real expected, Real size) {
  return double(std::abs(value - expected) / (size + std::abs(expected)));
}

}  // namespace

// Differences of 1e-8, in units of the noise and of the field's standard deviation.
TEST_CASE("expectations at limits far sharper than the field agree with a fine sum") {
  const double noise = 0.3, weight = 4.0, of_noise = noise / 2.0;
  for (const double sd : {1.3, 2.0, 6.0, 40.0, 3000.0}) {
    for (const double away : {-9.0, -4.0, -2.0, -0.5, 0.0, 0.3, 1.0, 3.0, 6.0, 8.0, 30.0}) {
      for (const double sign : {1.0, -1.0}) {
        CAPTURE(sd);
        CAPTURE(away);
        CAPTURE(sign);
        // that of a slope of |away| sd / noise
        const double rounding = 1e-15 * std::abs(away) * std::pow(sd / of_noise, 2);
        const double limit = 0.7, mean = limit + sign * away * sd;
        const FineSum expected = fine_sum(limit, sign, mean, sd, of_noise);
        const double lower = sign > 0 ? -infinity : limit, upper = sign > 0 ? limit : infinity;
        // the sharp datum comes with a measurement, a narrow interval and a datum that is not sharp
        const std::vector<double> y{lower, 1.0, 0.1, lower}, trials{upper, 1.0, 0.2, upper};
        const std::vector<double> means{mean, 0.9, 0.0, limit}, variances{sd * sd, 0.1, 0.01, 0.04};
        const std::vector<double> weights(4, weight);
        with_each_instruction_set([&] {
          std::vector<double> value(4), slope(4), curvature(4), third(4), fourth(4);
          double d_log_sd = 0.0, d_of_others = 0.0;
          const Likelihood likelihood{ResponseFamily::censored_gaussian, {noise}};
          const ExpectationOutput out{value.data(), slope.data(), curvature.data(), third.data(), fourth.data()};
          expectations(likelihood, {4, y.data(), trials.data(), weights.data()}, means.data(), variances.data(), out,
                       &d_log_sd, with_threads(1));
          CHECK(error(value[0], expected.value, 1.0L) < 1e-8);
          CHECK(error(slope[0] * sd, expected.slope * sd, 1.0L) < 1e-8);
          CHECK(error(curvature[0] * sd * sd, expected.curvature * sd * sd, 1.0L) < 1e-8);
          CHECK(error(third[0] * std::pow(sd, 3), expected.third * std::pow(Real(sd), 3), 1.0L) < 1e-7 + rounding);
          CHECK(error(fourth[0] * std::pow(sd, 4), expected.fourth * std::pow(Real(sd), 4), 1.0L) < 1e-7 + rounding);
          expectations(likelihood, {3, y.data() + 1, trials.data() + 1, weights.data()}, means.data() + 1,
                       variances.data() + 1, {}, &d_of_others, with_threads(1));
          CHECK(error(d_log_sd - d_of_others, expected.d_log_sd, 1.0L) < 1e-7);
        });
      }
    }
  }
}

TEST_CASE("two limits that are apart are the sum of both") {
  const Likelihood likelihood{ResponseFamily::censored_gaussian, {0.01}};
  const std::vector<double> lower{-1.0, -1.0, -infinity}, upper{1.5, infinity, 1.5}, mean(3, 0.4), variance(3, 4.0);
  with_each_instruction_set([&] {
    const Expectations at = expectations_of(likelihood, {3, lower.data(), upper.data(), nullptr}, mean, variance);
    CHECK(at.value[0] == doctest::Approx(at.value[1] + at.value[2]).epsilon(1e-12));
    CHECK(at.slope[0] == doctest::Approx(at.slope[1] + at.slope[2]).epsilon(1e-12));
    CHECK(at.curvature[0] == doctest::Approx(at.curvature[1] + at.curvature[2]).epsilon(1e-12));
  });
}
