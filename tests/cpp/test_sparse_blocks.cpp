#include <doctest/doctest.h>

#include <Eigen/Cholesky>
#include <cmath>

#include "linalg/sparse/incomplete_cholesky.h"
#include "sparse_fixtures.h"

using namespace neargp;
using namespace fixtures;

namespace {

const RunContext one_thread = with_threads(1);

// Several fields with a common prior, of unlike scale, and data that are weighted sums of all fields at a point and at
// its first neighbour. Unknown r of node j is number r * n + j of the expanded matrix.
struct Fields {
  VecchiaCliques cliques;
  VecchiaPrecision prior;
  int count;
  std::vector<int> member;                                           // of the data: points by row
  std::vector<double> weights, precision;                            // of the data
  std::vector<double> vectors, scale;                                // of the priors, one field after the other
  std::vector<int> order, prior_members, data_members, all_members;  // of the expanded matrix

  Fields(int n, int k, int fields) : cliques(n, k), prior(cliques, 0.0), count(fields) {
    for (const int j : cliques.order)
      for (int q = 0; q < count; ++q) order.push_back(q * n + j);
    for (int q = 0; q < count; ++q) {
      vectors.insert(vectors.end(), prior.vectors.begin(), prior.vectors.end());
      for (const double s : prior.scale) scale.push_back(s * (1.0 + 0.3 * q));
      for (const int m : cliques.member) prior_members.push_back(m < 0 ? -1 : q * n + m);
    }
    for (int j = 0; j < n; ++j) {
      const int* members = cliques.member.data() + j * cliques.size();
      for (int l = 0; l < 2; ++l) {
        member.push_back(members[l]);
        for (int q = 0; q < count; ++q) {
          data_members.push_back(members[l] < 0 ? -1 : q * n + members[l]);
          weights.push_back(std::sin(3.0 * j + 2.0 * l + q));
        }
      }
      for (int l = 0; l < cliques.size(); ++l)
        for (int q = 0; q < count; ++q) all_members.push_back(members[l] < 0 ? -1 : q * n + members[l]);
      precision.push_back(0.5 + 0.4 * std::cos(double(j)));
    }
  }

  Index n() const { return cliques.n(); }
  SparsePattern blocks() const {
    return SparsePattern(n(), cliques.order, {cliques.table(), {n(), 2, member.data()}}, one_thread, INFINITY, count);
  }
  SparsePattern expanded() const {
    return SparsePattern(n() * count, order,
                         {{n() * count, cliques.size(), prior_members.data()},
                          {n(), 2 * count, data_members.data()},
                          {n(), cliques.size() * count, all_members.data()}},
                         one_thread);
  }
  std::vector<double> values(const SparsePattern& pattern) const {
    std::vector<double> values(pattern.length(), 0.0);
    pattern.add_outer_products(0, vectors.data(), scale.data(), values.data());
    pattern.add_joint_outer_products(1, weights.data(), precision.data(), values.data());
    return values;
  }
};

// The matrix of values on a pattern with blocks.
Eigen::MatrixXd dense_blocks(const SparsePattern& pattern, const std::vector<double>& values) {
  const Index n = pattern.nodes();
  const int size = pattern.unknowns();
  Eigen::MatrixXd matrix = Eigen::MatrixXd::Zero(n * size, n * size);
  for (Index j = 0; j < n; ++j)
    for (int entry = -1; entry < pattern.count(j); ++entry) {
      const Index row = entry < 0 ? j : pattern.rows(j)[entry];
      const double* block = values.data() + (pattern.start(j) + std::size_t(entry + 1)) * std::size_t(size * size);
      for (int c = 0; c < size; ++c)
        for (int r = 0; r < size; ++r) {
          const Index a = r * n + pattern.node(row), b = c * n + pattern.node(j);
          matrix(a, b) = matrix(b, a) = block[c * size + r];
        }
    }
  return matrix;
}

double largest_difference(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b) {
  return (a - b).cwiseAbs().maxCoeff() / b.cwiseAbs().maxCoeff();
}

}  // namespace

TEST_CASE("a factor of blocks is the incomplete factor of the expanded matrix") {
  for (int count = 1; count <= most_unknowns; ++count) {
    CAPTURE(count);
    const Fields fields(60, 6, count);
    const SparsePattern pattern = fields.blocks(), expanded = fields.expanded();
    const std::vector<double> values = fields.values(pattern), scalar_values = fields.values(expanded);
    REQUIRE(largest_difference(dense_blocks(pattern, values), dense(expanded, scalar_values)) < 1e-14);
    const std::unique_ptr<SparseFactor> factor = incomplete_factor(pattern);
    IncompleteCholesky scalar(expanded);
    REQUIRE(factor->factorize(values.data(), one_thread));
    REQUIRE(scalar.factorize(scalar_values.data(), one_thread));
    CHECK(factor->log_det() == doctest::Approx(scalar.log_det()).epsilon(1e-10));
    const std::vector<double> pivots = factor->log_pivots(), scalar_pivots = scalar.log_pivots();
    // the expanded matrix eliminates the fields of a node in the opposite order
    for (Index j = 0; j < fields.n(); ++j) {
      double sum = 0.0, scalar_sum = 0.0;
      for (Index i = j; i < Index(pivots.size()); i += fields.n()) {
        sum += pivots[std::size_t(i)];
        scalar_sum += scalar_pivots[std::size_t(i)];
      }
      CHECK(sum == doctest::Approx(scalar_sum).epsilon(1e-9));
    }

    std::vector<double> z(values.size()), scalar_z(scalar_values.size());
    factor->inverse(z.data(), one_thread);
    scalar.inverse(scalar_z.data(), one_thread);
    CHECK(largest_difference(dense_blocks(pattern, z), dense(expanded, scalar_z)) < 1e-10);

    for (const int columns : {1, 7, 9}) {
      const Eigen::MatrixXd right = Eigen::MatrixXd::Random(fields.n() * count, columns);
      Eigen::MatrixXd solution = right, expected = right;
      factor->solve(solution.data(), columns, one_thread);
      scalar.solve(expected.data(), columns, one_thread);
      CHECK(largest_difference(solution, expected) < 1e-10);
    }

    Workspace workspace;
    const std::vector<int> nodes = {int(fields.n() * count) - 1, 0, 17};
    const std::vector<double> weights = {0.3, -1.0, 0.7};
    CHECK(factor->inverse_quadratic_form(nodes.data(), weights.data(), 3, workspace) ==
          doctest::Approx(scalar.inverse_quadratic_form(nodes.data(), weights.data(), 3, workspace)).epsilon(1e-3));
    Eigen::MatrixXd block(3, 3), scalar_block(3, 3);
    factor->inverse_block(nodes.data(), 3, block.data(), workspace);
    scalar.inverse_block(nodes.data(), 3, scalar_block.data(), workspace);
    CHECK(largest_difference(block, scalar_block) < 1e-3);
  }
}

TEST_CASE("a factor of blocks on a whole pattern is exact, and gives the sums over cliques") {
  const Fields fields(12, 11, 3);
  const SparsePattern pattern = fields.blocks();
  const std::vector<double> values = fields.values(pattern);
  const Eigen::MatrixXd a = dense_blocks(pattern, values);
  const Eigen::MatrixXd inverse = a.llt().solve(Eigen::MatrixXd::Identity(a.rows(), a.cols()));
  const std::unique_ptr<SparseFactor> factor = incomplete_factor(pattern);
  REQUIRE(factor->factorize(values.data(), one_thread));
  CHECK(factor->log_det() == doctest::Approx(2.0 * a.llt().matrixLLT().diagonal().array().log().sum()).epsilon(1e-10));
  std::vector<double> z(values.size());
  factor->inverse(z.data(), one_thread);
  CHECK(largest_difference(dense_blocks(pattern, z), inverse) < 1e-10);

  std::vector<double> diagonal(std::size_t(a.rows()));
  pattern.diagonal(z.data(), diagonal.data());
  for (Index i = 0; i < a.rows(); ++i) CHECK(diagonal[std::size_t(i)] == doctest::Approx(inverse(i, i)));

  // Z times vectors of each field, and of all fields
  const auto times = [&](const std::vector<int>& member, const double* vector, int size) {
    Eigen::VectorXd full = Eigen::VectorXd::Zero(a.rows());
    for (int m = 0; m < size; ++m)
      if (member[std::size_t(m)] >= 0) full[member[std::size_t(m)]] += vector[m];
    return Eigen::VectorXd(inverse * full);
  };
  std::vector<double> products(fields.vectors.size()), joint(fields.weights.size());
  pattern.multiply_cliques(0, z.data(), fields.vectors.data(), products.data(), one_thread);
  pattern.multiply_joint_cliques(1, z.data(), fields.weights.data(), joint.data(), with_threads(2));
  const auto check_rows = [&](const std::vector<int>& members, const std::vector<double>& vectors, int size,
                              const std::vector<double>& found) {
    for (std::size_t row = 0; row < members.size(); row += std::size_t(size)) {
      const std::vector<int> member(members.begin() + long(row), members.begin() + long(row) + size);
      const Eigen::VectorXd expected = times(member, vectors.data() + row, size);
      for (int m = 0; m < size; ++m)
        if (member[std::size_t(m)] >= 0)
          CHECK(found[row + std::size_t(m)] == doctest::Approx(expected[member[std::size_t(m)]]).epsilon(1e-8));
    }
  };
  check_rows(fields.prior_members, fields.vectors, fields.cliques.size(), products);
  check_rows(fields.data_members, fields.weights, 6, joint);

  // tr(Z D Z D) for a symmetric block D of each node
  std::vector<double> blocks(std::size_t(fields.n()) * 9);
  Eigen::MatrixXd d = Eigen::MatrixXd::Zero(a.rows(), a.cols());
  for (Index j = 0; j < fields.n(); ++j)
    for (int r = 0; r < 3; ++r)
      for (int c = 0; c < 3; ++c)
        d(r * fields.n() + j, c * fields.n() + j) = blocks[std::size_t(j * 9 + c * 3 + r)] =
            std::sin(j + r * c + r + c);
  CHECK(pattern.squared_form(z.data(), blocks.data()) ==
        doctest::Approx((inverse * d * inverse * d).trace()).epsilon(1e-9));
}

TEST_CASE("a factor of blocks reports a matrix that is not positive definite") {
  const Fields fields(30, 4, 2);
  const SparsePattern pattern = fields.blocks();
  std::vector<double> values = fields.values(pattern);
  const std::vector<double> less(60, -1e6);
  pattern.add_diagonal(less.data(), values.data());
  CHECK_FALSE(incomplete_factor(pattern)->factorize(values.data(), one_thread));
  CHECK_THROWS(SparsePattern(30, fields.cliques.order, {}, one_thread, INFINITY, 7));
}
