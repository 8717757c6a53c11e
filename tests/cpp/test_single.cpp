// Formulas of covariances in single precision against the same in double.
#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "conditional/gpu/covariance.h"
#include "core_fixtures.h"
#include "simd/single.h"

using namespace neargp;
using namespace fixtures;

namespace {

struct Entry {
  double value, in_length, in_shape;
};

template <class Real>
Entry entry_at(const PreparedCovariance& prepared, double r2) {
  PackedCovariance<Real> packed(prepared);
  packed.memory_for(packed.memory());
  Real value, in_length, in_shape;
  covariance_entry<true>(packed.at(packed.memory()).component[0], Real(r2), value, in_length, in_shape);
  return {double(value), double(in_length), double(in_shape)};
}

}  // namespace

TEST_CASE("constants of a formula do not take a Single to double precision") {
  const Single x = 0.1f;
  static_assert(std::is_same<decltype(0.5 * x + 1.0), Single>::value, "");
  static_assert(!std::is_convertible<Single, double>::value, "");
  CHECK(float(x * 0.1 - 1.0 / x) == 0.1f * 0.1f - 1.0f / 0.1f);
  CHECK(float(math::exp(x)) == std::exp(0.1f));
}

// A correlation and its derivatives are functions of r2. Their relative errors are some units of rounding, in the
// exponents and logarithms up to r units (here 8). The errors grow by no more than the condition numbers. Hence the
// tolerance is 2^-24 times 8 times about ten.
TEST_CASE("every family is itself in single precision") {
  const double tolerance = 80 * std::ldexp(1.0, -24);
  for (const Model& model : families()) {
    CAPTURE(model.name);
    const PreparedCovariance prepared = prepare(model.covariance, 2, true);
    double furthest = 0.0;
    for (double r = 1e-4; r < 8.0; r *= 1.17) {
      CAPTURE(r);
      const double r2 = float(r * r);  // the same number for both
      const Entry expected = entry_at<double>(prepared, r2), found = entry_at<float>(prepared, r2);
      CHECK(std::abs(found.value - expected.value) <= tolerance);
      CHECK(std::abs(found.in_length - expected.in_length) <= tolerance * (1.0 + std::abs(expected.in_length)));
      CHECK(std::abs(found.in_shape - expected.in_shape) <= tolerance * (1.0 + std::abs(expected.in_shape)));
      furthest = std::max(furthest, std::abs(found.value - expected.value));
    }
    CHECK(furthest > 0.0);  // or it was computed in double
  }
}

TEST_CASE("coincident and far points are numbers in single precision") {
  for (const Model& model : families()) {
    CAPTURE(model.name);
    const PreparedCovariance prepared = prepare(model.covariance, 2, true);
    const Entry together = entry_at<float>(prepared, 0.0), apart = entry_at<float>(prepared, 1e12);
    CHECK(together.value == doctest::Approx(1.3).epsilon(1e-6));
    CHECK(std::abs(together.in_length) * 0.0 == 0.0);
    CHECK(std::abs(together.in_shape) < 1e-5);
    CHECK(std::abs(apart.value) < 1e-5);
    CHECK(std::isfinite(apart.in_length));
    CHECK(std::isfinite(apart.in_shape));
  }
}
