#include <doctest/doctest.h>

#include <Eigen/Core>
#include <vector>

#include "core_fixtures.h"
#include "linalg/column_products.h"

using namespace neargp;
using namespace fixtures;

TEST_CASE("products of scattered columns are those of a matrix, for every number of them") {
  const Index rows = 3 * column_multiple;
  const Eigen::MatrixXd table = Eigen::MatrixXd::Random(rows, 40);
  with_each_instruction_set([&] {
    for (int count = 1; count <= 14; ++count) {
      CAPTURE(count);
      Eigen::MatrixXd chosen(rows, count);
      std::vector<const double*> columns;
      for (int j = 0; j < count; ++j) {
        columns.push_back(table.col((7 * j) % 40).data());
        chosen.col(j) = table.col((7 * j) % 40);
      }
      Eigen::MatrixXd gram = Eigen::MatrixXd::Constant(count, count, 5.0);
      column_kernels().gram(columns.data(), count, rows, gram.data());
      const Eigen::MatrixXd expected = chosen.transpose() * chosen;
      for (int j = 0; j < count; ++j)
        for (int i = 0; i < count; ++i)
          CHECK(gram(i, j) == doctest::Approx(i < j ? 5.0 : expected(i, j)).epsilon(1e-13));
      const Eigen::VectorXd x = table.col(39), weights = Eigen::VectorXd::LinSpaced(count, -1.0, 2.0);
      Eigen::VectorXd products(count), sum = x;
      column_kernels().products(columns.data(), count, rows, x.data(), products.data());
      CHECK(difference(products, chosen.transpose() * x) < 1e-13);
      column_kernels().add_combination(columns.data(), count, rows, weights.data(), sum.data());
      CHECK(difference(sum, x + chosen * weights) < 1e-13);
    }
  });
}
