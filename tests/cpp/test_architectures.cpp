#include <doctest/doctest.h>

#include "../../src/cuda/architectures.h"

using namespace neargp;

TEST_CASE("code runs on GPUs of its major number that are not older, and the portable form on all newer ones") {
  const auto runs = [](int major, int minor) { return has_code_for(major, minor, {800, 900}); };
  CHECK(runs(8, 0));
  CHECK(runs(8, 9));
  CHECK(runs(9, 0));
  CHECK(runs(10, 0));
  CHECK(runs(12, 1));
  CHECK(!runs(7, 5));
  CHECK(!has_code_for(8, 0, {860, 900}));
  CHECK(has_code_for(8, 6, {860}));
  CHECK(has_code_for(8, 9, {860}));
  CHECK(!has_code_for(6, 1, {860}));
}

TEST_CASE("the rate in single precision is that of the data sheets") {
  // NVIDIA A100: 19.5 Tflop/s from 108 multiprocessors at 1.41 GHz; L40S: 91.6 from 142 at 2.52; H100 SXM: 67 from 132
  // at 1.98
  const auto rate = [](int major, int minor, int multiprocessors, double gigahertz) {
    return 2e-3 * single_precision_lanes(major, minor) * multiprocessors * gigahertz;
  };
  CHECK(rate(8, 0, 108, 1.41) == doctest::Approx(19.5).epsilon(0.01));
  CHECK(rate(8, 9, 142, 2.52) == doctest::Approx(91.6).epsilon(0.01));
  CHECK(rate(9, 0, 132, 1.98) == doctest::Approx(67).epsilon(0.01));
}
