#define NEARGP_LANES 2
#include <doctest/doctest.h>

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <vector>

#include "base/arena.h"
#include "conditional/cpu/block_triangle.h"
#include "geometry_fixtures.h"

using namespace neargp;
using Eigen::MatrixXd;

namespace {

constexpr int lanes = 2;
using V = Pack<lanes>::Real;
using Blocks = BlockTriangle<lanes>;

// An upper triangular matrix in each lane, given to blocks. Entries that the blocks must not read are not numbers.
struct Upper {
  AlignedBuffer memory;
  Arena arena;
  Blocks blocks;
  std::vector<MatrixXd> dense;

  explicit Upper(int rows)
      : memory(4 * lanes * triangle_size(rows + 16)), arena(memory.data()), blocks(rows, arena),
        dense(lanes, MatrixXd::Zero(rows, rows)) {
    const Philox random{std::uint64_t(rows)};
    for (int first = 0; first < rows; first += Blocks::side) {
      const int count = std::min(Blocks::side, rows - first);
      std::vector<V> values(std::size_t(count) * rows, broadcast<V>(std::nan("")));
      V* x[Blocks::side];
      for (int i = 0; i < count; ++i) {
        x[i] = values.data() + std::size_t(i) * rows;
        for (int j = first; j < rows; ++j)
          for (int lane = 0; lane < lanes; ++lane) {
            double& entry = dense[std::size_t(lane)](first + i, j);
            if (j >= first + i) entry = random.normal(std::uint64_t(((first + i) * rows + j) * lanes + lane));
            set_lane(x[i][j], lane, entry);
          }
      }
      blocks.set_upper_rows(first, count, x);
    }
  }
};

}  // namespace

TEST_CASE("blocks of an upper triangular matrix give U U' and its square, lane by lane") {
  for (int rows = 1; rows <= 20; ++rows) {
    CAPTURE(rows);
    Upper upper(rows);
    upper.blocks.square_upper();
    AlignedBuffer memory((triangle_size(rows) + 1) * lanes);
    const Triangle<lanes> squares{reinterpret_cast<V*>(memory.data()), nullptr, rows};
    std::vector<MatrixXd> found(lanes, MatrixXd::Zero(rows, rows));
    upper.blocks.write_squares(squares, [&](int i, int j, V x, V xx) {
      for (int lane = 0; lane < lanes; ++lane) found[std::size_t(lane)](i, j) = get_lane(x, lane);
      return xx;
    });
    for (int lane = 0; lane < lanes; ++lane) {
      const MatrixXd& u = upper.dense[std::size_t(lane)];
      const MatrixXd x = u * u.transpose(), xx = x * x;
      for (int i = 0; i < rows; ++i) {
        CHECK(get_lane(upper.blocks.diagonal(i), lane) == doctest::Approx(x(i, i)).epsilon(1e-13));
        for (int j = 0; j <= i; ++j) {
          CHECK(std::abs(found[std::size_t(lane)](i, j) - x(i, j)) <= 1e-13 * x.cwiseAbs().maxCoeff());
          CHECK(std::abs(get_lane(squares.row(i)[j], lane) - xx(i, j)) <= 1e-13 * xx.cwiseAbs().maxCoeff());
        }
      }
    }
  }
}
