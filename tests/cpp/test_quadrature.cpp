#include <doctest/doctest.h>

#include <cmath>
#include <initializer_list>

#include "likelihoods/quadrature.h"

using neargp::quadrature_rule;
using neargp::QuadratureRule;

namespace {

template <class Function>
double expectation(const QuadratureRule& rule, const Function& function) {
  double sum = 0.0;
  for (int q = 0; q < rule.nodes; ++q) sum += rule.weight[q] * function(rule.x[q]);
  return sum;
}

}  // namespace

TEST_CASE("the rules have the moments of the standard normal distribution") {
  for (const double ratio : {0.0, 0.3, 0.5, 1.0, 3.0, 10.0, 1e6}) {
    const QuadratureRule& rule = quadrature_rule(ratio);
    CHECK(expectation(rule, [](double) { return 1.0; }) == doctest::Approx(1.0).epsilon(1e-14));
    CHECK(std::abs(expectation(rule, [](double x) { return x; })) < 1e-15);
    CHECK(expectation(rule, [](double x) { return x * x; }) == doctest::Approx(1.0).epsilon(1e-8));
    CHECK(expectation(rule, [](double x) { return x * x * x * x; }) == doctest::Approx(3.0).epsilon(1e-7));
  }
}

TEST_CASE("a function with poles at distance d is integrated up to the limit of each rule") {
  // E 1/(1 + (sd x)^2): its poles are at distance 1, and it is sqrt(pi/2)/sd * exp(1/(2 sd^2)) erfc(1/(sd sqrt 2))
  for (double sd = 0.05; sd < 15.0; sd *= 1.07) {
    const double expected =
        std::sqrt(std::acos(-1.0) / 2.0) / sd * std::exp(0.5 / (sd * sd)) * std::erfc(1.0 / (sd * std::sqrt(2.0)));
    CHECK(expectation(quadrature_rule(sd), [&](double x) { return 1.0 / (1.0 + sd * sd * x * x); }) ==
          doctest::Approx(expected).epsilon(1e-7));
  }
}

TEST_CASE("finer rules serve larger ratios") {
  int last = 0;
  for (double ratio = 0.1; ratio < 100.0; ratio *= 1.5) {
    const QuadratureRule& rule = quadrature_rule(ratio);
    CHECK(rule.nodes >= last);
    CHECK(ratio <= rule.limit);
    last = rule.nodes;
  }
  CHECK(quadrature_rule(0.3).nodes <= 19);
}
