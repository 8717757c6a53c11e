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
