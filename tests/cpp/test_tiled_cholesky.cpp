#include <doctest/doctest.h>

#include <Eigen/Cholesky>
#include <cmath>
#include <cstdlib>

#include "linalg/tiled_cholesky.h"

using namespace neargp;
using Matrix = Eigen::MatrixXd;

namespace {

// An exponential covariance on a line, with noise.
Matrix line_covariance(int n) {
  Matrix s(n, n);
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i) s(i, j) = std::exp(-std::abs(i - j) / 30.0) + (i == j ? 0.1 : 0.0);
  return s;
}

double largest(const Matrix& difference) { return difference.cwiseAbs().maxCoeff(); }

RunContext with_threads(int threads) {
  RunContext context;
  context.threads = threads;
  return context;
}

}  // namespace

// Less than a tile, tiles that are full, and a tile of one row.
TEST_CASE("by tiles: factor, solution, inverse and product are those of the whole matrix") {
  for (const int n : {1, 5, 256, 257, 700}) {
    CAPTURE(n);
    const Matrix s = line_covariance(n);
    Matrix lower = s;
    REQUIRE(tiled_cholesky(lower, RunContext{}));
    const Eigen::LLT<Matrix> whole(s);
    CHECK(largest(Matrix(lower.triangularView<Eigen::Lower>()) - Matrix(whole.matrixL())) < 1e-12);
    CHECK(largest(tiled_inverse(lower, RunContext{}) * s - Matrix::Identity(n, n)) < 1e-11);
    const Matrix right =
        Matrix::NullaryExpr(n, 300, [](Eigen::Index i, Eigen::Index j) { return std::sin(1.0 + i + 7.0 * j); });
    Matrix solved = right;
    tiled_lower_solve(lower, solved, RunContext{});
    CHECK(largest(solved - whole.matrixL().solve(right)) < 1e-11);
    CHECK(largest(tiled_product(s, right, RunContext{}) - s * right) < 1e-11);
  }
}

TEST_CASE("by tiles: the number of threads does not change a digit") {
  const Matrix s = line_covariance(700);
  Matrix one = s, two = s;
  REQUIRE(tiled_cholesky(one, with_threads(1)));
  REQUIRE(tiled_cholesky(two, with_threads(2)));
  CHECK(one == two);
  CHECK(tiled_inverse(one, with_threads(1)) == tiled_inverse(one, with_threads(2)));
  CHECK(tiled_product(s, s, with_threads(1)) == tiled_product(s, s, with_threads(2)));
  Matrix x = s, y = s;
  tiled_lower_solve(one, x, with_threads(1));
  tiled_lower_solve(one, y, with_threads(2));
  CHECK(x == y);
}

TEST_CASE("by tiles: a matrix that is not positive definite has no factor, wherever that shows") {
  for (const int row : {0, 200, 256, 600}) {
    Matrix s = line_covariance(700);
    s(row, row) = -1.0;
    CHECK(!tiled_cholesky(s, RunContext{}));
  }
}
