#define NEARGP_LANES 2
#include <doctest/doctest.h>

#include <cmath>

#include "likelihoods/special.h"

using V = neargp::Pack<2>::Real;

namespace {

double first_lane(V x) { return neargp::get_lane(x, 0); }

V pack(double x) { return V{x, 1.0}; }

double relative(double value, double expected) { return std::abs(value / expected - 1.0); }

}  // namespace

TEST_CASE("log(1 + u) keeps its relative accuracy down to the smallest u") {
  for (double u = 1e-300; u <= 1.0; u *= 1.37)
    CHECK(relative(first_lane(neargp::log1p_unit(pack(u))), std::log1p(u)) < 1e-15);
  CHECK(first_lane(neargp::log1p_unit(pack(1.0))) == doctest::Approx(std::log(2.0)).epsilon(1e-15));
  CHECK(first_lane(neargp::log1p_unit(pack(0.0))) == 0.0);
}

TEST_CASE("softplus and the logistic function keep both tails") {
  for (double x = -700.0; x <= 700.0; x += 0.37) {
    const neargp::Softplus<V> at = neargp::softplus(pack(x));
    const double u = std::exp(-std::abs(x));
    const double large = 1.0 / (1.0 + u), small = u / (1.0 + u);
    CHECK(relative(first_lane(at.value), (x > 0 ? x : 0.0) + std::log1p(u)) < 1e-14);
    CHECK(relative(first_lane(at.probability), x > 0 ? large : small) < 1e-14);
    CHECK(relative(first_lane(at.complement), x > 0 ? small : large) < 1e-14);
  }
}

TEST_CASE("Mills' ratio agrees with the error function, and with its continued fraction far out") {
  const auto mills = [](double x) { return first_lane(neargp::mills_ratio(pack(x))); };
  for (double x = 0.0; x < 25.0; x += 0.013) {
    const long double z = x;
    const long double expected = std::sqrt(std::acos(-1.0L) / 2) * std::exp(z * z / 2) * std::erfc(z / std::sqrt(2.0L));
    CHECK(relative(mills(x), double(expected)) < 5e-15);
  }
  for (double x = 25.0; x < 1e6; x *= 1.7) {
    double fraction = 0.0;
    for (int level = 60; level >= 1; --level) fraction = level / (x + fraction);
    CHECK(relative(mills(x), 1.0 / (x + fraction)) < 5e-15);
  }
}

TEST_CASE("log Gamma(x + 1) agrees with the library's") {
  for (double x = 1e-12; x < 1e12; x *= 1.31) {
    const double expected = std::lgamma(x + 1.0);
    CHECK(std::abs(first_lane(neargp::log_gamma_1p(pack(x)).value) - expected) < 3e-15 * (10.0 + std::abs(expected)));
  }
  CHECK(std::abs(first_lane(neargp::log_gamma_1p(pack(0.0)).value)) < 1e-14);
}

TEST_CASE("digamma and its derivatives: known values, recurrences and large arguments") {
  const auto at = [](double x) { return neargp::log_gamma_1p(pack(x - 1.0)); };
  const double pi = std::acos(-1.0), euler = 0.57721566490153286, zeta3 = 1.2020569031595943;
  CHECK(first_lane(at(1.0).digamma) == doctest::Approx(-euler).epsilon(1e-14));
  CHECK(first_lane(at(1.0).trigamma) == doctest::Approx(pi * pi / 6).epsilon(1e-14));
  CHECK(first_lane(at(1.0).tetragamma) == doctest::Approx(-2.0 * zeta3).epsilon(1e-14));
  CHECK(first_lane(at(1.5).digamma) == doctest::Approx(2.0 - euler - 2.0 * std::log(2.0)).epsilon(1e-13));
  CHECK(first_lane(at(1.5).trigamma) == doctest::Approx(pi * pi / 2 - 4.0).epsilon(1e-14));
  for (double x = 1.0; x < 1e4; x *= 1.13) {
    CHECK(first_lane(at(x + 1.0).digamma) - first_lane(at(x).digamma) == doctest::Approx(1.0 / x).epsilon(1e-10));
    CHECK(first_lane(at(x).trigamma) - first_lane(at(x + 1.0).trigamma) ==
          doctest::Approx(1.0 / (x * x)).epsilon(1e-10));
    CHECK(first_lane(at(x + 1.0).tetragamma) - first_lane(at(x).tetragamma) ==
          doctest::Approx(2.0 / (x * x * x)).epsilon(1e-8));
  }
  CHECK(first_lane(at(1e15).digamma) == doctest::Approx(std::log(1e15)).epsilon(1e-15));
  CHECK(first_lane(at(1e15).trigamma) == doctest::Approx(1e-15).epsilon(1e-14));
}
