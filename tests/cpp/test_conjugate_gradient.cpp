#include <doctest/doctest.h>

#include <Eigen/Cholesky>

#include "linalg/sparse/conjugate_gradient.h"
#include "linalg/sparse/incomplete_cholesky.h"
#include "sparse_fixtures.h"

using namespace neargp;
using namespace fixtures;

namespace {

const RunContext one_thread = with_threads(1);
constexpr int nodes = 300;

struct System {
  VecchiaCliques cliques{nodes, 8};
  SparsePattern pattern = cliques.pattern();
  std::vector<double> values = VecchiaPrecision(cliques, 0.25).values(pattern);
  Eigen::MatrixXd matrix = dense(pattern, values);
  IncompleteCholesky factor{pattern};

  System() { REQUIRE(factor.factorize(values.data(), one_thread)); }
  std::vector<double> multiply(const std::vector<double>& x) const {
    std::vector<double> y(x.size());
    Eigen::Map<Eigen::VectorXd>(y.data(), nodes) = matrix * Eigen::Map<const Eigen::VectorXd>(x.data(), nodes);
    return y;
  }
};

}  // namespace

TEST_CASE("an incomplete factor solves each of many right-hand sides as it does alone") {
  const System system;
  const Eigen::MatrixXd right = Eigen::MatrixXd::Random(nodes, 19);
  Eigen::MatrixXd together = right;
  system.factor.solve(together.data(), 19, with_threads(2));
  for (Index c = 0; c < right.cols(); ++c) {
    Eigen::VectorXd alone = right.col(c);
    system.factor.solve(alone.data(), 1, one_thread);
    CHECK(together.col(c) == alone);
  }
}

TEST_CASE("conjugate gradients solve many right-hand sides together") {
  const System system;
  Eigen::MatrixXd right = Eigen::MatrixXd::Random(nodes, 11);
  right.col(4).setZero();
  right.col(7) *= 1e6;
  Eigen::MatrixXd solution = right;
  const LinearMap multiply = [&](const std::vector<double>& x) { return system.multiply(x); };
  const ColumnsMap precondition = [&](double* x, int columns) { system.factor.solve(x, columns, one_thread); };
  REQUIRE(conjugate_gradients(multiply, precondition, solution, 1e-12, 60));
  const Eigen::MatrixXd expected = system.matrix.llt().solve(right);
  for (Index c = 0; c < right.cols(); ++c)
    CHECK((solution.col(c) - expected.col(c)).norm() <= 1e-8 * expected.col(c).norm());
  // Columns start from guesses, and the second guess is useless and ignored. Residuals belong to the solutions.
  Eigen::MatrixXd guess = expected.leftCols(2), left;
  guess.col(0) *= 1.01;
  guess.col(1) *= -1.0;
  solution = right;
  REQUIRE(conjugate_gradients(multiply, precondition, solution, 1e-3, 60, guess, &left));
  CHECK((solution.col(0) - expected.col(0)).norm() <= 1e-2 * expected.col(0).norm());
  CHECK((system.matrix * solution + left - right).cwiseAbs().maxCoeff() < 1e-10 * right.cwiseAbs().maxCoeff());
  solution = right;
  REQUIRE(conjugate_gradients(multiply, precondition, solution, 1e-12, 60, guess));
  for (Index c = 0; c < right.cols(); ++c)
    CHECK((solution.col(c) - expected.col(c)).norm() <= 1e-8 * expected.col(c).norm());
  solution = right;
  CHECK_FALSE(conjugate_gradients(multiply, precondition, solution, 1e-12, 1));
  solution = right;
  const LinearMap negative = [&](std::vector<double> x) {
    for (double& value : x) value = -value;
    return system.multiply(x);
  };
  CHECK_FALSE(conjugate_gradients(negative, precondition, solution, 1e-12, 60));
}
