#include <doctest/doctest.h>

#include <set>

#include "linalg/sparse/column_set.h"
#include "random/philox.h"

using namespace neargp;

TEST_CASE("columns come out in order, each once, while later ones come in") {
  for (const int n : {1, 64, 65, 4096, 4097, 300000}) {
    CAPTURE(n);
    ColumnSet set;
    set.fit(n);
    const Philox random(4);
    for (int repeat = 0; repeat < 2; ++repeat) {
      std::set<int> expected;
      const auto insert = [&](int column) {
        set.insert(column);
        expected.insert(column);
      };
      for (std::uint64_t i = 0; i < 20; ++i) insert(int(random.below(i, std::uint64_t(n))));
      insert(n - 1);
      insert(0);
      std::uint64_t draw = 100;
      while (!expected.empty()) {
        const int column = set.take_first();
        REQUIRE(column == *expected.begin());
        expected.erase(expected.begin());
        if (draw < 200)
          for (int i = 0; i < 3; ++i) {
            const int later = column + int(random.below(draw++, 5000));
            if (later < n && later > column) insert(later);
          }
      }
      CHECK(set.take_first() == -1);
    }
  }
}

TEST_CASE("a set that fits already keeps its columns") {
  ColumnSet set;
  CHECK(set.take_first() == -1);
  set.fit(5000);
  set.insert(4999);
  set.fit(100);
  CHECK(set.take_first() == 4999);
}
