#include <doctest/doctest.h>

#include <cmath>
#include <set>

#include "random/philox.h"

using neargp::Philox;
using neargp::philox4x32;
using neargp::PhiloxBlock;

namespace {

void check_block(PhiloxBlock actual, PhiloxBlock expected) {
  for (int i = 0; i < 4; ++i) CHECK(actual.word[i] == expected.word[i]);
}

}  // namespace

TEST_CASE("philox4x32-10 gives the known answers of Random123") {
  check_block(philox4x32({{0, 0, 0, 0}}, 0, 0), {{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}});
  check_block(philox4x32({{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}}, 0xffffffff, 0xffffffff),
              {{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}});
  check_block(philox4x32({{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}}, 0xa4093822, 0x299f31d0),
              {{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}});
}

TEST_CASE("uniform draws lie inside (0, 1) with the right moments") {
  const Philox random(1);
  const int n = 100000;
  double sum = 0.0, sum_of_squares = 0.0;
  for (int i = 0; i < n; ++i) {
    const double u = random.uniform(i);
    CHECK_UNARY(u > 0.0 && u < 1.0);
    sum += u;
    sum_of_squares += u * u;
  }
  CHECK(sum / n == doctest::Approx(0.5).epsilon(0.01));
  CHECK(sum_of_squares / n == doctest::Approx(1.0 / 3.0).epsilon(0.01));
}

TEST_CASE("normal draws have the moments of a standard normal") {
  const Philox random(2, 7);
  const int n = 200000;
  double moment[5] = {};
  for (int i = 0; i < n; ++i) {
    const double z = random.normal(i);
    for (int p = 1; p <= 4; ++p) moment[p] += std::pow(z, p) / n;
  }
  CHECK(std::abs(moment[1]) < 0.01);
  CHECK(moment[2] == doctest::Approx(1.0).epsilon(0.02));
  CHECK(std::abs(moment[3]) < 0.03);
  CHECK(moment[4] == doctest::Approx(3.0).epsilon(0.03));
}

TEST_CASE("integers below a bound cover it and never reach it") {
  const Philox random(3);
  std::set<std::uint64_t> seen;
  for (int i = 0; i < 1000; ++i) seen.insert(random.below(i, 7));
  CHECK(seen.size() == 7);
  CHECK(*seen.rbegin() == 6);
  const std::uint64_t large = std::uint64_t{1} << 40;
  double mean = 0.0;
  for (int i = 0; i < 10000; ++i) mean += static_cast<double>(random.below(i, large)) / 10000;
  CHECK(mean == doctest::Approx(0.5 * static_cast<double>(large)).epsilon(0.02));
}

TEST_CASE("keys and streams give different draws") {
  CHECK(Philox(1).bits(0) != Philox(2).bits(0));
  CHECK(Philox(1, 0).bits(0) != Philox(1, 1).bits(0));
  CHECK(Philox(1).bits(0) != Philox(1).bits(1));
}
