#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <numeric>
#include <vector>

#include "geometry/curve.h"
#include "geometry_fixtures.h"
#include "parallel/radix_sort.h"

using namespace neargp;
using namespace fixtures;

namespace {

// The cells of the corner with `side` cells on each side, by their keys.
template <int Dim, class Key>
std::vector<std::pair<std::uint64_t, std::vector<std::int64_t>>> sorted_cells(int side, const Key& key) {
  std::vector<std::pair<std::uint64_t, std::vector<std::int64_t>>> cells;
  const int count = Dim == 2 ? side * side : side * side * side;
  for (int i = 0; i < count; ++i) {
    std::uint64_t cell[Dim];
    for (int c = 0, rest = i; c < Dim; ++c, rest /= side) cell[c] = std::uint64_t(rest % side);
    cells.emplace_back(key(cell), std::vector<std::int64_t>(cell, cell + Dim));
  }
  std::sort(cells.begin(), cells.end());
  return cells;
}

template <int Dim>
void check_hilbert(int side) {
  const auto cells = sorted_cells<Dim>(side, [](const auto& cell) { return hilbert_key<Dim>(cell); });
  for (std::size_t i = 1; i < cells.size(); ++i) {
    std::int64_t steps = 0;
    for (int c = 0; c < Dim; ++c) steps += std::abs(cells[i].second[c] - cells[i - 1].second[c]);
    CHECK(steps == 1);
    CHECK(cells[i].first == cells[i - 1].first + 1);
  }
}

template <int Dim>
void check_morton(int side) {
  const auto cells = sorted_cells<Dim>(side, [](const auto& cell) { return morton_key<Dim>(cell); });
  for (std::size_t i = 0; i < cells.size(); ++i) {
    CHECK(cells[i].first == i);
    std::uint64_t cell[Dim];
    morton_cell<Dim>(cells[i].first, cell);
    for (int c = 0; c < Dim; ++c) CHECK(std::int64_t(cell[c]) == cells[i].second[c]);
  }
}

}  // namespace

TEST_CASE("Hilbert's curve visits each cell of a square or cube, one step after the other") {
  check_hilbert<2>(32);
  check_hilbert<3>(16);
}

TEST_CASE("Morton's keys count the cells of a square or cube, and return them") {
  check_morton<2>(32);
  check_morton<3>(16);
}

TEST_CASE("rows along a curve are all rows, the first and the last cell included") {
  const Cloud cloud = uniform_cloud(50000, 2);
  const CurveGrid<2> grid(cloud.view(), with_threads(2));
  const auto key = [](const auto& cell) { return hilbert_key<2>(cell); };
  const auto rows = rows_along<2>(cloud.view(), grid, key, with_threads(2));
  std::vector<int> seen(50000, 0);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    ++seen[rows[i].row];
    if (i > 0) CHECK(rows[i - 1].key <= rows[i].key);
    CHECK((rows[i].key >> 62) == 0);
  }
  CHECK(std::count(seen.begin(), seen.end(), 1) == 50000);
}

TEST_CASE("a radix sort is a stable sort, for any number of threads") {
  struct Item {
    std::uint64_t key;
    int place;
    bool operator==(const Item& other) const { return key == other.key && place == other.place; }
  };
  const Philox random(3);
  for (const int n : {0, 1, 2, 1000, 70000})
    for (const std::uint64_t most : {std::uint64_t{1}, std::uint64_t{5}, std::uint64_t{1} << 40}) {
      UnsetVector<Item> items(n);
      for (int i = 0; i < n; ++i) items[i] = {random.below(std::uint64_t(i), most), i};
      UnsetVector<Item> expected = items;
      std::stable_sort(expected.begin(), expected.end(), [](const Item& a, const Item& b) { return a.key < b.key; });
      for (const int threads : {1, 4}) {
        UnsetVector<Item> sorted = items;
        radix_sort(
            sorted, 41, [](const Item& item) { return item.key; }, with_threads(threads));
        CHECK(sorted == expected);
      }
    }
}
