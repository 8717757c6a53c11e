#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "base/error.h"
#include "core_fixtures.h"

using namespace neargp;
using namespace fixtures;

namespace {

// Whether target t of the view carries the rows of the caller's data that it should.
void check_view(const LocalProblem& problem, const Data& data, const NeighborTable& table,
                const std::vector<int>& targets) {
  const LocalView view = problem.view();
  REQUIRE(view.targets == table.n);
  const auto same = [](const double* a, const double* b, int count) { return std::equal(a, a + count, b); };
  const int dim = view.dim;
  std::vector<int> seen(std::size_t(data.cloud.view().n), 0);
  for (Index t = 0; t < view.targets; ++t) {
    const Index row = problem.row_of_datum(t);
    ++seen[std::size_t(row)];
    CHECK(same(view.target_coords + t * dim, data.cloud.view()[row], dim));
    CHECK(same(view.target_values + t * view.columns, data.values.data() + row * view.columns, view.columns));
    CHECK(view.target_noise_scale[t] == data.noise_scale[std::size_t(row)]);
    Index table_row = row;
    if (!targets.empty()) table_row = std::find(targets.begin(), targets.end(), int(row)) - targets.begin();
    for (int r = 0; r < view.k; ++r) {
      const int datum = view.neighbors[t * view.k + r], neighbor = table[table_row][r];
      CHECK((datum < 0) == (neighbor < 0));
      if (datum < 0) continue;
      CHECK(same(view.coords + Index(datum) * dim, data.cloud.view()[neighbor], dim));
      CHECK(same(view.values + Index(datum) * view.columns, data.values.data() + Index(neighbor) * view.columns,
                 view.columns));
      CHECK(view.noise_scale[datum] == data.noise_scale[std::size_t(neighbor)]);
    }
  }
  for (std::size_t row = 0; row < seen.size(); ++row) {
    const bool wanted = targets.empty() || std::count(targets.begin(), targets.end(), int(row)) > 0;
    CHECK(seen[row] == int(wanted));
  }
}

}  // namespace

TEST_CASE("the data in memory order are the caller's") {
  const Data data(uniform_cloud(150, 3), 3);
  const NeighborTable table = neighbors_before(data, 5);
  check_view(LocalProblem(data.view(), table, {}, with_threads(1)), data, table, {});
  const std::vector<int> targets = {149, 2, 71, 70, 0};
  NeighborTable part(5, 5);
  for (Index t = 0; t < 5; ++t) std::copy_n(table[targets[std::size_t(t)]], 5, part[t]);
  check_view(LocalProblem(data.view(), part, targets, with_threads(1)), data, part, targets);
}

TEST_CASE("a table that counts from one, with a mark of its own for absent rows, is read as it is") {
  const Data data(uniform_cloud(40, 2), 2);
  const NeighborTable table = neighbors_before(data, 4);
  const int absent = std::numeric_limits<int>::min();
  UnsetVector<int> counted_from_one = table.index;
  for (int& row : counted_from_one) row = row < 0 ? absent : row + 1;
  const auto problem_of = [&](const UnsetVector<int>& rows) {
    return LocalProblem(data.view(), {rows.data(), 40, 4, 1, absent}, {}, with_threads(1));
  };
  check_view(problem_of(counted_from_one), data, table, {});
  for (const int wrong : {0, -1, 41, absent + 1}) {
    UnsetVector<int> broken = counted_from_one;
    broken[17] = wrong;
    CHECK_THROWS_WITH_AS(problem_of(broken), doctest::Contains("is referred to, but there are 40 rows."), Error);
  }
}

TEST_CASE("results do not depend on the order of the rows") {
  const int n = 60;
  const Data data(uniform_cloud(n, 2), 3);
  const NeighborTable table = neighbors_before(data, 6);
  const std::vector<int> order = shuffled(n, 4);  // new row i is the old row order[i]
  Data permuted = data;
  NeighborTable permuted_table(n, 6);
  std::vector<int> new_row(n);
  for (int i = 0; i < n; ++i) new_row[order[i]] = i;
  for (int i = 0; i < n; ++i) {
    std::copy_n(data.cloud.view()[order[i]], 2, permuted.cloud.coords.begin() + 2 * i);
    std::copy_n(data.values.begin() + 3 * order[i], 3, permuted.values.begin() + 3 * i);
    permuted.noise_scale[i] = data.noise_scale[order[i]];
    for (int r = 0; r < 6; ++r) permuted_table[i][r] = table[order[i]][r] < 0 ? -1 : new_row[table[order[i]][r]];
  }
  const Covariance covariance = structures().back().covariance;
  const RunContext context = with_threads(1);
  const LikelihoodSums a = vecchia_sums({data.view(), table, {}, context}, covariance, true, context);
  const LikelihoodSums b = vecchia_sums({permuted.view(), permuted_table, {}, context}, covariance, true, context);
  CHECK(a.log_det == doctest::Approx(b.log_det).epsilon(1e-12));
  CHECK(difference(square(a.gram, 3), square(b.gram, 3)) < 1e-12);
  CHECK(difference(square(a.information, covariance.parameters()), square(b.information, covariance.parameters())) <
        1e-12);
}

TEST_CASE("coordinates that are no numbers, or too large for their squares, are refused") {
  for (const double bad : {std::nan(""), HUGE_VAL, -HUGE_VAL, 1e31}) {
    Data data(uniform_cloud(6, 2), 2);
    data.cloud.coords[2 * 4 + 1] = bad;
    CHECK_THROWS_WITH_AS(LocalProblem(data.view(), NeighborTable(6, 2), {}, with_threads(1)),
                         "Coordinate 2 of row 5 is not a number of at most 1e30 in size.", Error);
  }
}

TEST_CASE("a response that is no number shows in the sums, a noise that is none as a failed factor") {
  for (const bool in_noise : {false, true}) {
    Data data(uniform_cloud(20, 2), 2);
    (in_noise ? data.noise_scale[11] : data.values[2 * 11]) = std::nan("");
    const LocalProblem problem(data.view(), neighbors_others(data, 4), {}, with_threads(1));
    with_each_instruction_set([&] {
      const LikelihoodSums sums = vecchia_sums(problem, structures()[2].covariance, false, with_threads(1));
      CHECK((sums.failed >= 0) == in_noise);
      CHECK(std::isnan(sums.gram[0]));
    });
  }
}

TEST_CASE("tables and targets that do not fit the data are refused") {
  const Data data(uniform_cloud(6, 2), 2);
  const RunContext context = with_threads(1);
  const auto make = [&](NeighborTable table, std::vector<int> targets) {
    LocalProblem(data.view(), table, targets, context);
  };
  CHECK_NOTHROW(make(NeighborTable(6, 2), {}));
  CHECK_THROWS_AS(make(NeighborTable(5, 2), {}), Error);
  CHECK_THROWS_AS(make(NeighborTable(1, 2), {1, 2}), Error);
  CHECK_THROWS_AS(make(NeighborTable(1, 2), {6}), Error);
  CHECK_THROWS_AS(make(NeighborTable(1, 2), {-1}), Error);
  CHECK_THROWS_WITH_AS(make(NeighborTable(2, 2), {3, 3}), "A row is a target twice.", Error);
  NeighborTable beyond(6, 2);
  beyond[3][1] = 6;
  CHECK_THROWS_WITH_AS(make(beyond, {}), "Row 7 is referred to, but there are 6 rows.", Error);
}
