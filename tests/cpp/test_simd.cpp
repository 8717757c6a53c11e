#define NEARGP_LANES 2
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "geometry_fixtures.h"
#include "simd/instruction_set.h"
#include "simd/wide_sets.h"
#include "simd_functions_impl.h"

#ifdef NEARGP_WIDE_SETS
extern const SimdFunctions simd_functions_avx2;
extern const SimdFunctions simd_functions_avx512;
#endif

namespace {

std::vector<SimdFunctions> runnable() {
  std::vector<SimdFunctions> all = {SimdFunctionsOf<2>::table("portable")};
#ifdef NEARGP_WIDE_SETS
  for (const char* name : neargp::instruction_sets()) {
    if (std::string(name) == "avx2") all.push_back(simd_functions_avx2);
    if (std::string(name) == "avx512") all.push_back(simd_functions_avx512);
  }
#endif
  return all;
}

// y at x in every lane in turn, the other lanes holding something else: lanes must not mix.
std::vector<double> in_each_lane(const SimdFunctions& simd, void (*function)(const double*, double*), double x) {
  std::vector<double> results;
  for (int lane = 0; lane < simd.lanes; ++lane) {
    alignas(64) double in[8], out[8];
    for (int other = 0; other < 8; ++other) in[other] = 1.0 + other;
    in[lane] = x;
    function(in, out);
    results.push_back(out[lane]);
  }
  return results;
}

double ulps(double value, double expected) {
  const double spacing = std::nextafter(std::abs(expected), HUGE_VAL) - std::abs(expected);
  return std::abs(value - expected) / spacing;
}

// The largest error over all lanes and arguments.
template <class Expected>
double worst(const SimdFunctions& simd, void (*function)(const double*, double*), const std::vector<double>& arguments,
             const Expected& expected) {
  double result = 0.0;
  for (const double x : arguments)
    for (const double y : in_each_lane(simd, function, x)) result = std::max(result, ulps(y, expected(x)));
  return result;
}

std::vector<double> uniform_between(double low, double high, int count) {
  const neargp::Philox random(11);
  std::vector<double> x;
  for (int i = 0; i < count; ++i) x.push_back(low + (high - low) * random.uniform(std::uint64_t(i)));
  return x;
}

}  // namespace

TEST_CASE("exp of a pack is within two units in the last place over its whole range") {
  for (const SimdFunctions& simd : runnable()) {
    CAPTURE(simd.name);
    std::vector<double> x = uniform_between(-708.0, 700.0, 20000);
    for (const double small : uniform_between(-2.0, 2.0, 20000)) x.push_back(small);
    for (double tiny = 1e-300; tiny < 1.0; tiny *= 1e7) x.insert(x.end(), {tiny, -tiny});
    // both sides of the halves of log 2, where the reduction rounds the other way
    for (int n = -1000; n < 1000; ++n) x.push_back((n + 0.5) * std::log(2.0));
    x.insert(x.end(), {0.0, -0.0, -708.0});
    CHECK(worst(simd, simd.exp, x, [](double a) { return std::exp(a); }) <= 2.0);
    for (const double low : {-709.0, -1e5, -1e300, -HUGE_VAL})
      for (const double y : in_each_lane(simd, simd.exp, low)) CHECK(y == doctest::Approx(std::exp(-708.0)));
    for (const double y : in_each_lane(simd, simd.exp, 0.0)) CHECK(y == 1.0);
  }
}

TEST_CASE("log of a pack is within three units in the last place, for all positive normal numbers") {
  for (const SimdFunctions& simd : runnable()) {
    CAPTURE(simd.name);
    std::vector<double> x = {std::numeric_limits<double>::min(), std::numeric_limits<double>::max(), 1e-300};
    for (const double exponent : uniform_between(-700.0, 700.0, 20000)) x.push_back(std::exp(exponent));
    for (const double near_one : uniform_between(0.5, 2.0, 20000)) x.push_back(near_one);
    for (int power = -1022; power < 1024; ++power)
      x.insert(x.end(), {std::ldexp(1.0, power), std::ldexp(std::sqrt(0.5), power + 1)});
    for (double step = 1e-16; step < 0.1; step *= 3.0) x.insert(x.end(), {1.0 + step, 1.0 - step});
    CHECK(worst(simd, simd.log, x, [](double a) { return std::log(a); }) <= 3.0);
    for (const double y : in_each_lane(simd, simd.log, 1.0)) CHECK(y == 0.0);
  }
}

TEST_CASE("sqrt of a pack is that of its lanes") {
  for (const SimdFunctions& simd : runnable()) {
    CAPTURE(simd.name);
    std::vector<double> x = {0.0, 1.0, 1e-320, std::numeric_limits<double>::max()};
    for (const double exponent : uniform_between(-700.0, 700.0, 1000)) x.push_back(std::exp(exponent));
    for (const double a : x)
      for (const double y : in_each_lane(simd, simd.sqrt, a)) CHECK(y == std::sqrt(a));
  }
}

TEST_CASE("the larger and the smaller of two packs are the second where either is not a number") {
  const double numbers[] = {-HUGE_VAL, -1.0, -0.0, 0.0, 1e-320, 2.0, HUGE_VAL, std::nan("")};
  for (const SimdFunctions& simd : runnable())
    for (const double a : numbers)
      for (const double b : numbers) {
        CAPTURE(simd.name);
        CAPTURE(a);
        CAPTURE(b);
        alignas(64) double first[8], second[8], larger[8], smaller[8];
        std::fill_n(first, 8, a);
        std::fill_n(second, 8, b);
        simd.larger(first, second, larger);
        simd.smaller(first, second, smaller);
        for (int lane = 0; lane < simd.lanes; ++lane) {
          CHECK(neargp::same_bits<std::uint64_t>(larger[lane]) == neargp::same_bits<std::uint64_t>(a > b ? a : b));
          CHECK(neargp::same_bits<std::uint64_t>(smaller[lane]) == neargp::same_bits<std::uint64_t>(a < b ? a : b));
        }
      }
}

TEST_CASE("lanes: read, written, summed in order, compared") {
  using V = neargp::Pack<2>::Real;
  V x = neargp::broadcast<V>(1.5);
  CHECK(neargp::get_lane(x, 0) == 1.5);
  neargp::set_lane(x, 1, -2.0);
  CHECK(neargp::get_lane(x, 0) == 1.5);
  CHECK(neargp::get_lane(x, 1) == -2.0);
  CHECK(neargp::sum_lanes(x) == -0.5);
  const V zero = neargp::broadcast<V>(0.0);
  CHECK(neargp::sum_lanes(neargp::larger(x, zero)) == 1.5);
  CHECK(neargp::sum_lanes(neargp::smaller(x, zero)) == -2.0);
  CHECK(neargp::sum_lanes(3.0) == 3.0);
}
