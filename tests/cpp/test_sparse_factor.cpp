#include <doctest/doctest.h>

#include <Eigen/Cholesky>
#include <cmath>
#include <limits>

#include "linalg/sparse/conjugate_gradient.h"
#include "linalg/sparse/dense_cholesky.h"
#include "linalg/sparse/exact_cholesky.h"
#include "linalg/sparse/incomplete_cholesky.h"
#include "sparse_fixtures.h"

using namespace neargp;
using namespace fixtures;

namespace {

const RunContext one_thread = with_threads(1);

double log_det_of(SparseFactor& factor, const std::vector<double>& values) {
  REQUIRE(factor.factorize(values.data(), one_thread));
  return factor.log_det();
}

// All that a factor gives, against the inverse of a dense matrix. `neglected`: what inverse_quadratic_form() may leave
// out.
void check_exact(SparseFactor& factor, const SparsePattern& pattern, const std::vector<double>& values,
                 double neglected = 1e-9) {
  const Eigen::MatrixXd a = dense(pattern, values);
  const Eigen::LLT<Eigen::MatrixXd> llt(a);
  const Index n = pattern.nodes();
  const Eigen::MatrixXd inverse = llt.solve(Eigen::MatrixXd::Identity(n, n));
  REQUIRE(factor.factorize(values.data(), one_thread));
  CHECK(factor.log_det() == doctest::Approx(2.0 * llt.matrixLLT().diagonal().array().log().sum()).epsilon(1e-10));

  std::vector<double> z(values.size());
  factor.inverse(z.data(), one_thread);
  for (Index j = 0; j < n; ++j)
    for (int entry = -1; entry < pattern.count(j); ++entry) {
      const Index row = entry < 0 ? j : pattern.rows(j)[entry];
      CHECK(z[pattern.start(j) + std::size_t(entry + 1)] ==
            doctest::Approx(inverse(pattern.node(j), pattern.node(row))).epsilon(1e-8));
    }

  Eigen::MatrixXd right = Eigen::MatrixXd::Random(n, 3);
  Eigen::MatrixXd solution = right;
  factor.solve(solution.data(), 3, with_threads(2));
  CHECK((solution - inverse * right).cwiseAbs().maxCoeff() < 1e-8);

  Workspace workspace;
  for (int repeat = 0; repeat < 2; ++repeat) {
    const std::vector<int> nodes = n == 1 ? std::vector<int>{0} : std::vector<int>{int(n - 1), 0, int(n / 2)};
    const std::vector<double> weights = {0.3, -1.0, 0.7};
    Eigen::VectorXd b = Eigen::VectorXd::Zero(n);
    for (std::size_t i = 0; i < nodes.size(); ++i) b[nodes[i]] += weights[i];
    CHECK(factor.inverse_quadratic_form(nodes.data(), weights.data(), int(nodes.size()), workspace) ==
          doctest::Approx(b.dot(inverse * b)).epsilon(neglected));
    Eigen::MatrixXd block(Index(nodes.size()), Index(nodes.size()));
    factor.inverse_block(nodes.data(), int(nodes.size()), block.data(), workspace);
    for (std::size_t i = 0; i < nodes.size(); ++i)
      for (std::size_t j = 0; j < nodes.size(); ++j)
        CHECK(std::abs(block(Index(i), Index(j)) - inverse(nodes[i], nodes[j])) <=
              neglected * std::sqrt(inverse(nodes[i], nodes[i]) * inverse(nodes[j], nodes[j])));
  }
}

}  // namespace

TEST_CASE("an incomplete factor on a full pattern is exact") {
  for (const int n : {1, 2, 5, 60}) {
    CAPTURE(n);
    const VecchiaCliques cliques(n, n - 1);
    const SparsePattern pattern = cliques.pattern();
    IncompleteCholesky factor(pattern);
    check_exact(factor, pattern, VecchiaPrecision(cliques, 0.25).values(pattern), 1e-4);
  }
}

TEST_CASE("a pattern whose columns are long is served as well") {
  const VecchiaCliques cliques(320, 319);
  const SparsePattern pattern = cliques.pattern();
  IncompleteCholesky factor(pattern);
  check_exact(factor, pattern, VecchiaPrecision(cliques, 2.0, 1e-3).values(pattern), 1e-4);
}

TEST_CASE("an exact factor is exact on any pattern") {
  for (const int k : {1, 4, 15, 150}) {
    CAPTURE(k);
    const VecchiaCliques cliques(200, k);
    const SparsePattern pattern = cliques.pattern();
    ExactCholesky factor(pattern);
    check_exact(factor, pattern, VecchiaPrecision(cliques, 0.25).values(pattern));
    DenseCholesky full(pattern);
    check_exact(full, pattern, VecchiaPrecision(cliques, 0.25).values(pattern));
  }
}

TEST_CASE("an exact factor is dense where it would be nearly full, and sparse in the plane") {
  const auto is_dense = [](Index nodes, int k) {
    const VecchiaCliques cliques(nodes, k);
    const SparsePattern pattern = cliques.pattern();
    return dynamic_cast<DenseCholesky*>(exact_factor(pattern).get()) != nullptr;
  };
  CHECK(is_dense(400, 200));
  CHECK_FALSE(is_dense(4000, 5));
  CHECK_FALSE(is_dense(100, 50));
}

TEST_CASE("both factors take nodes without neighbours and cliques with absent members") {
  const std::vector<int> member = {0, 1, -1, 2, -1, -1, 3, 0, 1};
  const SparsePattern pattern(6, {5, 1, 0, 4, 3, 2}, {{3, 3, member.data()}}, one_thread);
  std::vector<double> values(pattern.entries(), 0.0);
  const std::vector<double> vectors = {1.0, -0.4, 9.0, 1.0, 9.0, 9.0, 1.0, 0.5, -0.6}, scale = {2.0, 1.5, 3.0};
  const std::vector<double> weight = {0.1, 0.2, 0.3, 0.4, 0.5, 0.6};
  pattern.add_outer_products(0, vectors.data(), scale.data(), values.data());
  pattern.add_diagonal(weight.data(), values.data());
  IncompleteCholesky incomplete(pattern);
  check_exact(incomplete, pattern, values, 1e-4);
  ExactCholesky exact(pattern);
  check_exact(exact, pattern, values);
}

// Zeros of the matrix inside the pattern become entries of the factor like all others.
TEST_CASE("an incomplete factor agrees with the dense recursion that drops what the pattern lacks") {
  const VecchiaCliques cliques(150, 6);
  const SparsePattern pattern = cliques.pattern();
  const std::vector<double> values = VecchiaPrecision(cliques, 0.25).values(pattern);
  const std::vector<double> ones(values.size(), 1.0);
  const Eigen::MatrixXd allowed = dense(pattern, ones);
  Eigen::MatrixXd a = dense(pattern, values);
  double log_det = 0.0;
  for (auto node = cliques.order.rbegin(); node != cliques.order.rend(); ++node) {
    log_det += std::log(a(*node, *node));
    const Eigen::VectorXd column = a.col(*node) / std::sqrt(a(*node, *node));
    a -= (column * column.transpose()).cwiseProduct(allowed);
    a.row(*node).setZero();
    a.col(*node).setZero();
  }
  IncompleteCholesky factor(pattern);
  CHECK(log_det_of(factor, values) == doctest::Approx(log_det).epsilon(1e-12));
}

TEST_CASE("the inverse of an incomplete factor is the gradient of its log determinant") {
  const VecchiaCliques cliques(200, 8);
  const SparsePattern pattern = cliques.pattern();
  std::vector<double> values = VecchiaPrecision(cliques, 0.25, 1e-2).values(pattern);
  IncompleteCholesky factor(pattern);
  log_det_of(factor, values);
  std::vector<double> z(values.size());
  factor.inverse(z.data(), one_thread);
  for (Index j = 0; j < pattern.nodes(); j += 7)
    for (int entry = 0; entry <= pattern.count(j); entry += 3) {
      double& value = values[pattern.start(j) + std::size_t(entry)];
      const double kept = value, step = 1e-5 * values[pattern.start(j)];
      value = kept + step;
      const double above = log_det_of(factor, values);
      value = kept - step;
      const double below = log_det_of(factor, values);
      value = kept;
      const double derivative = (entry == 0 ? 1.0 : 2.0) * z[pattern.start(j) + std::size_t(entry)];
      CHECK(std::abs((above - below) / (2.0 * step) - derivative) < 1e-6 * std::abs(z[pattern.start(j)]));
    }
}

// The accuracy that the choice of this approximation rests on.
TEST_CASE("in maxmin order an incomplete factor is close to the exact one") {
  const VecchiaCliques cliques(2000, 15);
  const SparsePattern pattern = cliques.pattern();
  const std::vector<double> values = VecchiaPrecision(cliques, 0.25).values(pattern);
  IncompleteCholesky incomplete(pattern);
  ExactCholesky exact(pattern);
  CHECK(std::abs(log_det_of(incomplete, values) - log_det_of(exact, values)) < 0.1);
  std::vector<double> z(values.size()), expected(values.size());
  incomplete.inverse(z.data(), one_thread);
  exact.inverse(expected.data(), one_thread);
  double sum = 0.0, worst = 0.0;
  for (Index j = 0; j < 2000; ++j) {
    const double error = z[pattern.start(j)] / expected[pattern.start(j)] - 1.0;
    sum += error * error;
    worst = std::max(worst, std::abs(error));
  }
  CHECK(std::sqrt(sum / 2000) < 0.003);
  CHECK(worst < 0.05);
}

// Weights of a prediction have both signs and cancel, so the forward solution is small in places that others need.
TEST_CASE("inverse_quadratic_form() leaves out less than a thousandth, and finds its workspace as it left it") {
  const VecchiaCliques cliques(5000, 15);
  const SparsePattern pattern = cliques.pattern();
  for (const double weight : {1e-3, 0.25, 10.0}) {
    CAPTURE(weight);
    const VecchiaPrecision precision(cliques, weight);
    const std::vector<double> values = precision.values(pattern);
    IncompleteCholesky factor(pattern);
    REQUIRE(factor.factorize(values.data(), one_thread));
    Workspace workspace;
    for (Index j = 7; j < 5000; j += 500) {
      const int* nodes = cliques.member.data() + j * 16;
      const double* weights = precision.vectors.data() + j * 16;
      std::vector<double> b(5000, 0.0);
      for (int m = 0; m < 16; ++m)
        if (nodes[m] >= 0) b[std::size_t(nodes[m])] = m == 0 ? 0.05 : weights[m];
      std::vector<double> x = b;
      factor.solve(x.data(), 1, one_thread);
      double expected = 0.0;
      for (std::size_t i = 0; i < b.size(); ++i) expected += b[i] * x[i];
      std::vector<double> given(weights, weights + 16);
      given[0] = 0.05;
      CHECK(factor.inverse_quadratic_form(nodes, given.data(), 16, workspace) ==
            doctest::Approx(expected).epsilon(1e-3));
    }
  }
}

TEST_CASE("a pivot that is not positive is reported, and does not spoil what follows") {
  const VecchiaCliques cliques(100, 5);
  const SparsePattern pattern = cliques.pattern();
  const std::vector<double> values = VecchiaPrecision(cliques, 0.25).values(pattern);
  for (const double bad :
       {-1.0, 0.0, std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    std::vector<double> broken = values;
    const Index node = cliques.order[70];
    broken[pattern.start(pattern.column_of(node))] = bad;
    IncompleteCholesky incomplete(pattern);
    CHECK_FALSE(incomplete.factorize(broken.data(), one_thread));
    CHECK(incomplete.factorize(values.data(), one_thread));
    ExactCholesky exact(pattern);
    CHECK_FALSE(exact.factorize(broken.data(), one_thread));
    CHECK(exact.factorize(values.data(), one_thread));
    DenseCholesky dense(pattern);
    CHECK_FALSE(dense.factorize(broken.data(), one_thread));
    CHECK(dense.factorize(values.data(), one_thread));
  }
}

TEST_CASE("factor and inverse do not depend on the number of threads") {
  const VecchiaCliques cliques(9000, 12);
  const SparsePattern pattern = cliques.pattern();
  std::vector<double> values = VecchiaPrecision(cliques, 0.25).values(pattern);
  std::vector<double> broken = values;
  for (const int rank : {8000, 4000, 100})
    broken[pattern.start(pattern.column_of(cliques.order[std::size_t(rank)]))] = -1.0;
  std::vector<double> expected(values.size()), z(values.size());
  IncompleteCholesky one(pattern);
  REQUIRE(one.factorize(values.data(), one_thread));
  one.inverse(expected.data(), one_thread);
  IncompleteCholesky bad(pattern);
  CHECK_FALSE(bad.factorize(broken.data(), one_thread));
  for (const int threads : {2, 3, 8}) {
    CAPTURE(threads);
    IncompleteCholesky factor(pattern);
    CHECK_FALSE(factor.factorize(broken.data(), with_threads(threads)));
    REQUIRE(factor.factorize(values.data(), with_threads(threads)));
    CHECK(factor.log_det() == one.log_det());
    std::fill(z.begin(), z.end(), 99.0);
    factor.inverse(z.data(), with_threads(threads));
    CHECK(z == expected);
  }
}

TEST_CASE("conjugate gradients with an incomplete factor solve in few iterations") {
  const VecchiaCliques cliques(2000, 10);
  const SparsePattern pattern = cliques.pattern();
  const std::vector<double> values = VecchiaPrecision(cliques, 0.25).values(pattern);
  IncompleteCholesky incomplete(pattern);
  ExactCholesky exact(pattern);
  log_det_of(incomplete, values);
  log_det_of(exact, values);
  std::vector<double> h(2000);
  for (std::size_t i = 0; i < h.size(); ++i) h[i] = Philox(8).normal(i);
  std::vector<double> expected = h;
  exact.solve(expected.data(), 1, one_thread);
  const Eigen::MatrixXd a = dense(pattern, values);
  const LinearMap multiply = [&](const std::vector<double>& x) {
    std::vector<double> y(x.size());
    Eigen::Map<Eigen::VectorXd>(y.data(), 2000) = a * Eigen::Map<const Eigen::VectorXd>(x.data(), 2000);
    return y;
  };
  const LinearMap precondition = [&](std::vector<double> x) {
    incomplete.solve(x.data(), 1, one_thread);
    return x;
  };
  const LinearSolution solution = conjugate_gradient(multiply, precondition, h, 1e-10, 50, one_thread);
  CHECK(solution.converged);
  CHECK(solution.iterations > 0);
  CHECK(solution.iterations < 15);
  const std::vector<double>& x = solution.x;
  double difference = 0.0, size = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    difference = std::max(difference, std::abs(x[i] - expected[i]));
    size = std::max(size, std::abs(expected[i]));
  }
  CHECK(difference < 1e-7 * size);
  CHECK_FALSE(conjugate_gradient(multiply, precondition, h, 1e-10, 1, one_thread).converged);
}
