#include <doctest/doctest.h>

#include "core_fixtures.h"
#include "emulated_device.h"
#include "linalg/products.h"
#include "variational/device_products.h"

using namespace neargp;
using namespace fixtures;
using Eigen::MatrixXd;

namespace {

MatrixXd noise(Index rows, Index columns) {
  std::srand(unsigned(rows + columns));
  return MatrixXd::Random(rows, columns);
}

MatrixXd positive(Index n) {
  const MatrixXd root = noise(n, n);
  return root * root.transpose() + double(n) * MatrixXd::Identity(n, n);
}

// All products of n x n matrices and of matrices that are parts of larger ones, one below the other.
MatrixXd all_products(Index n) {
  const MatrixXd a = noise(n + 3, n + 2), b = noise(n, n);
  const auto part = a.block(1, 2, n, n);
  MatrixXd lower = positive(n);
  REQUIRE(cholesky(lower));
  MatrixXd results(7 * n, n);
  MatrixXd product = MatrixXd::Zero(n, n), squared = MatrixXd::Zero(n, n), solved = b, solved_transposed = b, right = b;
  multiply(part, b, product);
  add_product_transposed(part, b, product);
  rank_update(part, squared);
  lower_solve(lower, solved);
  lower_transposed_solve(lower, solved_transposed);
  product_engine().solve_left({lower.data(), n, n, n}, {right.data(), n, n, n});
  product_engine().solve_right({lower.data(), n, n, n, true}, {right.data(), n, n, n});
  MatrixXd indefinite = -lower;
  CHECK_FALSE(cholesky(indefinite));
  results << lower, product, squared, solved, solved_transposed, right, b;
  return results;
}

}  // namespace

TEST_CASE("large products of the host's matrices are a device's, the same, and small ones stay") {
  const emulated::Fresh fresh(1);
  for (const Index n : {40, 330}) {
    const MatrixXd on_host = all_products(n);
    const Index before = emulated::state().uploaded_bytes;
    const std::string engine = product_engine().name;
    {
      const DeviceProducts on_device(emulated::dense());
      CHECK(std::string(product_engine().name) == "device");
      CHECK(difference(all_products(n), on_host) < 1e-13);
    }
    CHECK(product_engine().name == engine);
    CHECK((emulated::state().uploaded_bytes > before) == (n == 330));
  }
  CHECK(emulated::state().living == 0);
}
