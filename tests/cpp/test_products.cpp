#include <doctest/doctest.h>

#include <Eigen/Core>

#include "core_fixtures.h"
#include "linalg/lower_inverse.h"
#include "linalg/product_engine.h"
#include "linalg/products.h"
#include "loop_blas.h"

using namespace neargp;
using namespace fixtures;

namespace {

using Matrix = Eigen::MatrixXd;

void check_close(const Matrix& a, const Matrix& b) { CHECK((a - b).cwiseAbs().maxCoeff() < 1e-11); }

void check_products(Eigen::Index m, Eigen::Index n) {
  CAPTURE(m);
  const Matrix a = Matrix::Random(m, m + 2), b = Matrix::Random(m + 2, n);
  Matrix buffer = Matrix::Constant(m + 3, n, 7.0);
  multiply(a, b, buffer.topRows(m));
  check_close(buffer.topRows(m), a.lazyProduct(b));
  CHECK((buffer.bottomRows(3).array() == 7.0).all());

  Matrix sum = Matrix::Constant(m, m, 5.0);
  rank_update(a, sum);
  const Matrix expected = Matrix::Constant(m, m, 5.0) + a.lazyProduct(a.transpose());
  for (Eigen::Index j = 0; j < m; ++j)
    for (Eigen::Index i = 0; i < m; ++i)
      CHECK(sum(i, j) == doctest::Approx(i < j ? 5.0 : expected(i, j)).epsilon(1e-12));

  Matrix crossed = Matrix::Constant(m + 2, m + 2, 7.0);
  multiply_transposed(a, a, crossed);
  check_close(crossed, a.transpose().lazyProduct(a));
  for (const double shift : {-2.0, 0.0, 2.0}) {  // weights that are all below zero, of both signs, and all above
    const Eigen::VectorXd weights = Eigen::VectorXd::Random(m + 2).array() + shift;
    Matrix weighted = Matrix::Zero(m, m);
    weighted_rank_update(a, weights, weighted);
    check_close(weighted, Matrix(a * weights.asDiagonal() * a.transpose()).triangularView<Eigen::Lower>());
  }

  Matrix half = Matrix::Constant(m + 2, m + 2, 5.0);
  add_lower_product_transposed(a.transpose(), 2.0 * a.transpose(), half);
  check_close(half.triangularView<Eigen::Lower>(),
              Matrix(2.0 * crossed + Matrix::Constant(m + 2, m + 2, 5.0)).triangularView<Eigen::Lower>());

  const Matrix square = a.lazyProduct(a.transpose()) + Matrix::Identity(m, m);
  Matrix lower = square;
  REQUIRE(cholesky(lower));
  check_close(lower.lazyProduct(lower.transpose()), square);
  CHECK(lower.isLowerTriangular());
  Matrix x = Matrix::Random(m, n);
  const Matrix right = x;
  lower_solve(lower, x);
  check_close(lower.lazyProduct(x), right);
  x = right;
  lower_transposed_solve(lower, x);
  check_close(lower.transpose().lazyProduct(x), right);

  const LowerInverse inverse(lower);
  Matrix product = Matrix::Constant(m + 3, n, 7.0);
  inverse.multiply(right, product.topRows(m));
  check_close(lower.lazyProduct(product.topRows(m)), right);
  inverse.multiply_transposed(right, product.topRows(m));
  check_close(lower.transpose().lazyProduct(product.topRows(m)), right);
  CHECK((product.bottomRows(3).array() == 7.0).all());

  Matrix singular = Matrix::Ones(m + 1, m + 1);
  CHECK_FALSE(cholesky(singular));
}

}  // namespace

TEST_CASE("products of matrices are those of their definitions, with every engine") {
  const auto check_all = [] {
    for (const Eigen::Index m : {1, 2, 5, 31, 64, 150}) check_products(m, 2 * m + 1);
    check_products(9, 1);
  };
  with_each_instruction_set(check_all);
  const LoopBlas blas;
  use_product_engine(&blas.engine());
  check_all();
  use_product_engine(nullptr);
}
