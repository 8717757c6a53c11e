#include <doctest/doctest.h>

#include <set>

#include "base/error.h"
#include "sparse_fixtures.h"

using namespace neargp;
using namespace fixtures;

namespace {

// Two tables on ten nodes: cliques of three with absent members, an empty one, and pairs. Node 9 is alone.
struct SmallCliques {
  std::vector<int> triples = {0, 1, 2, 7, 3, -1, 4, -1, -1, -1, -1, -1, 2, 8, 5};
  std::vector<int> duos = {6, 0, 3, 7, 1, 2};
  std::vector<int> order = {4, 8, 1, 0, 9, 3, 7, 6, 2, 5};

  std::vector<CliqueTable> tables() const { return {{5, 3, triples.data()}, {3, 2, duos.data()}}; }
  SparsePattern pattern() const { return SparsePattern(10, order, tables(), with_threads(1)); }
};

std::vector<double> normals(std::size_t count, std::uint64_t key) {
  std::vector<double> draws(count);
  for (std::size_t i = 0; i < count; ++i) draws[i] = Philox(key).normal(i);
  return draws;
}

Eigen::VectorXd member_vector(const CliqueTable& table, Index row, const std::vector<double>& vectors, Index nodes) {
  Eigen::VectorXd v = Eigen::VectorXd::Zero(nodes);
  for (Index s = row * table.size; s < (row + 1) * table.size; ++s)
    if (table.member[s] >= 0) v[table.member[s]] = vectors[std::size_t(s)];
  return v;
}

}  // namespace

TEST_CASE("the pattern is the union of the cliques and the diagonal") {
  const SmallCliques cliques;
  const SparsePattern pattern = cliques.pattern();
  std::set<std::pair<int, int>> expected = {{0, 1}, {0, 2}, {1, 2}, {3, 7}, {2, 8}, {2, 5}, {5, 8}, {0, 6}};
  std::set<std::pair<int, int>> found;
  for (Index j = 0; j < 10; ++j)
    for (int entry = 0; entry < pattern.count(j); ++entry) {
      CHECK(pattern.rows(j)[entry] > j);
      const int a = pattern.node(j), b = pattern.node(pattern.rows(j)[entry]);
      CHECK(found.insert({std::min(a, b), std::max(a, b)}).second);
    }
  CHECK(found == expected);
}

TEST_CASE("nodes of a clique are eliminated in the reverse of the given order") {
  const VecchiaCliques cliques(300, 7);
  const SparsePattern pattern = cliques.pattern();
  std::vector<int> rank(300);
  for (int r = 0; r < 300; ++r) rank[std::size_t(cliques.order[std::size_t(r)])] = r;
  for (Index j = 0; j < 300; ++j) {
    CHECK(pattern.column_of(pattern.node(j)) == j);
    for (int entry = 0; entry < pattern.count(j); ++entry)
      CHECK(rank[std::size_t(pattern.node(pattern.rows(j)[entry]))] < rank[std::size_t(pattern.node(j))]);
  }
}

TEST_CASE("sums of outer products and the diagonal, and products with cliques") {
  const SmallCliques cliques;
  const SparsePattern pattern = cliques.pattern();
  std::vector<double> values(pattern.entries(), 0.0);
  const std::vector<double> weight = normals(10, 1);
  Eigen::MatrixXd expected = Eigen::Map<const Eigen::VectorXd>(weight.data(), 10).asDiagonal();
  pattern.add_diagonal(weight.data(), values.data());
  for (int t = 0; t < 2; ++t) {
    const CliqueTable table = cliques.tables()[std::size_t(t)];
    const std::vector<double> vectors = normals(std::size_t(table.count * table.size), 2), scale = normals(5, 3);
    pattern.add_outer_products(t, vectors.data(), scale.data(), values.data());
    for (Index c = 0; c < table.count; ++c) {
      const Eigen::VectorXd v = member_vector(table, c, vectors, 10);
      expected += scale[std::size_t(c)] * v * v.transpose();
    }
  }
  CHECK((dense(pattern, values) - expected).cwiseAbs().maxCoeff() < 1e-14);

  std::vector<double> diagonal(10);
  pattern.diagonal(values.data(), diagonal.data());
  for (int i = 0; i < 10; ++i) CHECK(diagonal[std::size_t(i)] == doctest::Approx(expected(i, i)));

  const std::vector<double> x = normals(10, 4);
  const Eigen::Map<const Eigen::VectorXd> vector(x.data(), 10);
  const double form = vector.dot(expected.cwiseAbs2() * vector);
  CHECK(pattern.squared_form(values.data(), x.data()) == doctest::Approx(form).epsilon(1e-12));

  for (int t = 0; t < 2; ++t) {
    const CliqueTable table = cliques.tables()[std::size_t(t)];
    const std::vector<double> vectors = normals(std::size_t(table.count * table.size), 5);
    std::vector<double> products(vectors.size(), 99.0);
    pattern.multiply_cliques(t, values.data(), vectors.data(), products.data(), with_threads(1));
    for (Index c = 0; c < table.count; ++c) {
      const Eigen::VectorXd all = expected * member_vector(table, c, vectors, 10);
      for (Index s = c * table.size; s < (c + 1) * table.size; ++s)
        CHECK(products[std::size_t(s)] ==
              doctest::Approx(table.member[s] < 0 ? 0.0 : all[table.member[s]]).epsilon(1e-12));
    }
  }
}

TEST_CASE(
    "a restricted pattern has the pairs with the member eliminated first, and sums over cliques leave out the others") {
  const VecchiaCliques cliques(200, 6);
  const SparsePattern wide = cliques.pattern(), restricted(200, cliques.order, {cliques.table()}, with_threads(1), 0.0);
  CHECK_FALSE(wide.is_restricted());
  REQUIRE(restricted.is_restricted());
  Eigen::MatrixXd room = Eigen::MatrixXd::Identity(200, 200);
  for (Index j = 0; j < 200; ++j)
    for (int m = 0; m < 6; ++m)
      if (cliques.neighbors[j][m] >= 0) room(j, cliques.neighbors[j][m]) = room(cliques.neighbors[j][m], j) = 1.0;
  const VecchiaPrecision precision(cliques, 0.5);
  const Eigen::MatrixXd a = dense(wide, precision.values(wide)), kept = dense(restricted, precision.values(restricted));
  CHECK((a.cwiseProduct(room) - kept).cwiseAbs().maxCoeff() < 1e-12 * a.maxCoeff());

  std::vector<double> z(restricted.entries(), 0.0), products(precision.vectors.size());
  for (Index j = 0; j < 200; ++j)
    for (int entry = -1; entry < restricted.count(j); ++entry)
      z[restricted.start(j) + std::size_t(entry + 1)] =
          Philox(3).normal(std::uint64_t(restricted.start(j) + std::size_t(entry + 1)));
  const Eigen::MatrixXd full = dense(restricted, z);
  restricted.multiply_cliques(0, z.data(), precision.vectors.data(), products.data(), with_threads(1));
  for (Index j = 0; j < 200; ++j) {
    const CliqueTable table = cliques.table();
    const Eigen::VectorXd all = full * member_vector(table, j, precision.vectors, 200);
    for (Index s = j * 7; s < (j + 1) * 7; ++s)
      CHECK(products[std::size_t(s)] ==
            doctest::Approx(table.member[s] < 0 ? 0.0 : all[table.member[s]]).epsilon(1e-10));
  }
}

TEST_CASE("whether a pattern is restricted depends on the memory that all pairs would take") {
  const VecchiaCliques cliques(2000, 15);
  const SparsePattern wide = cliques.pattern();
  double bytes = 42.0 * double(wide.entries());
  for (Index j = 0; j < 2000; ++j) bytes += wide.count(j) > 0 ? double(pairs::total(wide.count(j) - 1)) : 0.0;
  const auto is_restricted = [&](double most_bytes) {
    return SparsePattern(2000, cliques.order, {cliques.table()}, with_threads(1), most_bytes).is_restricted();
  };
  CHECK(is_restricted(0.8 * bytes));
  CHECK_FALSE(is_restricted(1.2 * bytes));
}

TEST_CASE("a pattern of one node, and one without cliques") {
  const SparsePattern one(1, {0}, {}, with_threads(1));
  CHECK(one.nodes() == 1);
  CHECK(one.count(0) == 0);
  const SparsePattern three(3, {2, 0, 1}, {}, with_threads(1));
  std::vector<double> values(three.entries(), 0.0);
  const std::vector<double> weight = {1.0, 2.0, 3.0};
  three.add_diagonal(weight.data(), values.data());
  CHECK((dense(three, values).diagonal() - Eigen::Vector3d(1.0, 2.0, 3.0)).norm() == 0.0);
}

TEST_CASE("the pattern does not depend on the number of threads") {
  const VecchiaCliques cliques(5000, 9);
  const SparsePattern one = cliques.pattern(1), four = cliques.pattern(4);
  REQUIRE(one.entries() == four.entries());
  for (Index j = 0; j < 5000; ++j) {
    REQUIRE(one.node(j) == four.node(j));
    REQUIRE(std::equal(one.rows(j), one.rows(j) + one.count(j), four.rows(j), four.rows(j) + four.count(j)));
  }
}

TEST_CASE("cliques and orders that cannot be are refused") {
  const std::vector<int> twice = {0, 1, 0}, outside = {0, 3, 1}, gap = {0, -1, 1};
  const auto build = [](const std::vector<int>& order, const std::vector<int>& member) {
    SparsePattern(3, order, {{1, 3, member.data()}}, with_threads(1));
  };
  CHECK_THROWS_WITH_AS(build({0, 1, 2}, twice), "Row 1 of a table of cliques has a node twice.", Error);
  CHECK_THROWS_AS(build({0, 1, 2}, outside), Error);
  CHECK_THROWS_AS(build({0, 1, 2}, gap), Error);
  CHECK_THROWS_AS(build({0, 1, 1}, {0, 1, 2}), Error);
  CHECK_THROWS_AS(build({0, 1}, {0, 1, 2}), Error);
}
