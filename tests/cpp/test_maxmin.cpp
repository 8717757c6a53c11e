#include <doctest/doctest.h>

#include <chrono>
#include <limits>
#include <vector>

#include "base/error.h"
#include "extended.h"
#include "geometry/maxmin.h"
#include "geometry/ordering.h"
#include "hard_clouds.h"

using namespace neargp;
using namespace fixtures;

namespace {

bool are_equal(const RankedRows& a, const RankedRows& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const RankedRow& x, const RankedRow& y) {
    return x.distance2 == y.distance2 && x.row == y.row;
  });
}

// The tournament is compared with the definition in test_ordering.cpp.
void check_rounds(const Cloud& cloud, const std::vector<int>& threads = {1, 2, 5, 16}) {
  const RankedRows expected = maxmin_by_tournament(cloud.view(), with_threads(1));
  for (const int count : threads) {
    CAPTURE(count);
    CHECK(are_equal(maxmin_by_rounds(cloud.view(), with_threads(count)), expected));
  }
}

void check_hard_clouds(const std::vector<int>& sizes) {
  for (const int dim : {2, 3})
    for (const HardKind& kind : hard_kinds(dim))
      for (const int n : sizes)
        for (const bool repeats : {false, true}) {
          INFO(kind.name << ", " << n << " rows, dimension " << dim << ", repeats: " << repeats);
          check_rounds(hard_cloud(kind, n, dim, repeats));
        }
}

}  // namespace

TEST_CASE("rounds choose the rows of the tournament, at the same distances, for any number of threads") {
  check_hard_clouds({1, 2, 3, 4, 5, 9, 17, 64, 257, 1000});
}

TEST_CASE("rounds choose the rows of the tournament where loops are divided among threads") {
  check_rounds(uniform_cloud(40000, 2));
  check_rounds(uniform_cloud(40000, 3));
  check_rounds(integer_lattice(200));
  check_rounds(duplicated_cloud(40000, 2, 20000));
}

TEST_CASE("rounds choose the rows of the tournament in many sets of 50,000 rows" * extended) {
  check_hard_clouds({2000, 5000, 20000, 50000});
}

TEST_CASE("rounds choose the rows of the tournament in a million rows" * extended) {
  check_rounds(uniform_cloud(1000000, 2), {2, 5, 16});
  check_rounds(uniform_cloud(1000000, 3), {2});
}

TEST_CASE("a maxmin order on several threads is that of one, and so are its errors") {
  Cloud cloud = uniform_cloud(20000, 2);
  std::vector<double> distance2, same_distance2;
  const std::vector<int> order = maxmin_order(cloud.view(), with_threads(1), &distance2);
  CHECK(maxmin_order(cloud.view(), with_threads(3), &same_distance2) == order);
  CHECK(same_distance2 == distance2);
  for (const int row : {19999, 17000, 300}) {
    cloud.coords[2 * row + 1] = std::numeric_limits<double>::quiet_NaN();
    const std::string message = "Coordinate 2 of row " + std::to_string(row + 1) + " is not finite.";
    for (const int threads : {1, 3})
      CHECK_THROWS_WITH_AS(maxmin_order(cloud.view(), with_threads(threads)), message.c_str(), Error);
  }
}

// Loops of rounds are short, and do not poll themselves.
TEST_CASE("an interrupt ends a maxmin order by rounds within a fifth of a second") {
  const Cloud cloud = uniform_cloud(200000, 3);
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  Clock::time_point asked;
  RunContext context = with_threads(2);
  context.check_interrupt = [&] {
    if (Clock::now() - start < std::chrono::milliseconds(150)) return;
    asked = Clock::now();
    throw Error("Interrupted.");
  };
  double fraction = 0.0;
  context.progress = [&](double done) {
    CHECK(done >= fraction);
    fraction = done;
  };
  CHECK_THROWS_WITH_AS(maxmin_by_rounds(cloud.view(), context), "Interrupted.", Error);
  CHECK(Clock::now() - asked < std::chrono::milliseconds(200));
}
