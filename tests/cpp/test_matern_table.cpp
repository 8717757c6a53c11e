#include <doctest/doctest.h>

#include <cmath>
#include <unsupported/Eigen/SpecialFunctions>
#include <vector>

#include "core_fixtures.h"
#include "covariance/families.h"
#include "covariance/kernels.h"
#include "covariance/matern_table.h"
#include "extended.h"

using namespace neargp;
using namespace fixtures;

namespace {

struct Filled {
  std::vector<double> value, shape;

  explicit Filled(double nu) : value(std::size_t(MaternTable::intervals) * 8), shape(value.size()) {
    const MaternSmoothness smoothness{nu, std::lgamma(nu), Eigen::numext::digamma(nu)};
    covariance_kernels().fill_matern_table(smoothness, value.data(), shape.data());
  }
  void evaluate(double r2, double& c, double& slope, double& dshape) const {
    MaternTabulated<double>{value.data(), shape.data()}.evaluate<true, true>(r2, c, slope, dshape);
  }
};

// The mixture over the Gamma distribution in extended precision, with steps so small that the sum is exact.
struct Exact {
  long double value = 0, slope = 0, shape = 0;  // slope: x dM/dx

  Exact(long double nu, long double x) {
    const long double h = 0.02L, log_gamma = std::lgamma(nu), psi = digamma(nu);
    for (long double u = -120; u < 8; u += h) {
      const long double rate = std::exp(-u) / 4;
      const long double term = h * std::exp(nu * u - std::exp(u) - x * rate - log_gamma);
      value += term;
      slope -= term * x * rate;
      shape += term * (u - psi);
    }
  }
  static long double digamma(long double x) {
    long double shift = 0;
    for (; x < 20; x += 1) shift -= 1 / x;
    const long double f = 1 / (x * x);
    return shift + std::log(x) - 0.5L / x -
           f * (1.0L / 12 - f * (1.0L / 120 - f * (1.0L / 252 - f * (1.0L / 240 - f / 132))));
  }
};

}  // namespace

TEST_CASE("the table is the Matern correlation, from tiny to huge distances and for any smoothness" * extended) {
  for (const double nu : {0.05, 0.3, 0.5, 1.0, 1.7, 2.5, 5.0, 12.0, 50.0}) {
    CAPTURE(nu);
    const double tolerance = nu > 10.0 ? 5e-14 : 1e-14;
    std::vector<double> x;
    std::vector<Exact> exact;
    for (double log_r = -30.0; log_r < 5.5; log_r += 0.83) {
      x.push_back(std::exp(2.0 * log_r));
      exact.emplace_back(nu, x.back());
    }
    with_each_instruction_set([&] {
      const Filled table(nu);
      for (std::size_t i = 0; i < x.size(); ++i) {
        CAPTURE(x[i]);
        double c, slope, shape;
        table.evaluate(x[i], c, slope, shape);
        CHECK(std::abs(c - double(exact[i].value)) < tolerance);
        CHECK(std::abs(x[i] * slope - double(exact[i].slope)) < 5e-12);
        CHECK(std::abs(shape - double(exact[i].shape)) < 1e-12);
      }
    });
  }
}

TEST_CASE("the table agrees with the Bessel function of the standard library") {
  for (const double nu : {0.1, 0.3, 0.8, 1.5, 3.3, 7.0, 20.0}) {
    CAPTURE(nu);
    const Filled table(nu);
    for (double r = 1e-3; r < 60.0; r *= 1.31) {
      double c, slope, shape;
      table.evaluate(r * r, c, slope, shape);
      CHECK(std::abs(c - reference::matern(nu, r)) < 1e-12);
    }
  }
}

TEST_CASE("the table agrees with the closed forms of half-integer smoothness") {
  const auto check = [](double nu, const auto& closed) {
    with_each_instruction_set([&] {
      const Filled table(nu);
      for (double r = 1e-12; r < 200.0; r *= 1.7) {
        double c, slope, shape, closed_c, closed_slope = 0.0, unused = 0.0;
        table.evaluate(r * r, c, slope, shape);
        closed.template evaluate<true, false>(r * r, closed_c, closed_slope, unused);
        CHECK(std::abs(c - closed_c) < 1e-14);
        CHECK(std::abs(r * r * (slope - closed_slope)) < 5e-12);
      }
    });
  };
  check(0.5, Exponential{});
  check(1.5, Matern32{});
  check(2.5, Matern52{});
  check(3.5, Matern72{});
}

TEST_CASE("the derivative in the smoothness is that of the values") {
  for (const double nu : {0.2, 0.5, 1.5, 4.0}) {
    const double h = 1e-3;
    const Filled at(nu), up(nu + h), down(nu - h), up2(nu + 2 * h), down2(nu - 2 * h);
    for (double r = 1e-3; r < 30.0; r *= 1.9) {
      const auto value = [&](const Filled& table) {
        double c, slope, shape;
        table.evaluate(r * r, c, slope, shape);
        return c;
      };
      double c, slope, shape;
      at.evaluate(r * r, c, slope, shape);
      const double difference = (8.0 * (value(up) - value(down)) - (value(up2) - value(down2))) / (12.0 * h);
      CHECK(std::abs(shape - difference) < 1e-8);
    }
  }
}

TEST_CASE("beyond the table's ends the correlation is one or zero, and its derivatives are zero") {
  const Filled table(1.2);
  double c, slope, shape;
  for (const double r2 : {0.0, 1e-320, 1e-40}) {
    table.evaluate(r2, c, slope, shape);
    CHECK(c == 1.0);
    CHECK(slope == 0.0);
    CHECK(shape == 0.0);
  }
  for (const double r2 : {65536.0, 1e10, 1e300}) {
    table.evaluate(r2, c, slope, shape);
    CHECK(c == 0.0);
    CHECK(slope == 0.0);
    CHECK(shape == 0.0);
  }
}
