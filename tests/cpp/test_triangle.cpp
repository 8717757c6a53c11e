#define NEARGP_LANES 2
#include <doctest/doctest.h>

#include <Eigen/Cholesky>
#include <cmath>
#include <vector>

#include "base/arena.h"
#include "conditional/cpu/triangle.h"
#include "geometry_fixtures.h"

using namespace neargp;
using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

constexpr int lanes = 2;
using V = Pack<lanes>::Real;

MatrixXd positive_definite(int rows, std::uint64_t key) {
  const Philox random(key);
  MatrixXd a(rows, rows);
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < rows; ++j) a(i, j) = random.normal(std::uint64_t(i * rows + j));
  return a * a.transpose() + MatrixXd::Identity(rows, rows);
}

// A different matrix in each lane.
struct Matrices {
  AlignedBuffer memory;
  Triangle<lanes> triangle;
  std::vector<MatrixXd> dense;

  explicit Matrices(int rows) : memory((triangle_size(rows) + rows) * lanes + 16) {
    Arena arena(memory.data());
    triangle = {arena.take<V>(triangle_size(rows)), arena.take<V>(std::size_t(rows)), rows};
    for (int lane = 0; lane < lanes; ++lane) {
      dense.push_back(positive_definite(rows, std::uint64_t(100 * rows + lane)));
      for (int i = 0; i < rows; ++i)
        for (int j = 0; j <= i; ++j) set_lane(triangle.row(i)[j], lane, dense.back()(i, j));
    }
  }

  MatrixXd lower(int lane) const {
    MatrixXd matrix = MatrixXd::Zero(triangle.rows, triangle.rows);
    for (int i = 0; i < triangle.rows; ++i)
      for (int j = 0; j <= i; ++j) matrix(i, j) = get_lane(triangle.row(i)[j], lane);
    return matrix;
  }
};

bool has_failed(const Pack<lanes>::Bits& failed, int lane) { return failed[lane] != 0; }

double largest(const MatrixXd& matrix) { return matrix.size() == 0 ? 0.0 : matrix.cwiseAbs().maxCoeff(); }

}  // namespace

TEST_CASE("the factor of every size is the Cholesky factor, lane by lane") {
  for (int rows = 1; rows <= 40; ++rows) {
    CAPTURE(rows);
    Matrices matrices(rows);
    Pack<lanes>::Bits failed = {};
    matrices.triangle.factorize(rows, 1e-14, failed);
    for (int lane = 0; lane < lanes; ++lane) {
      CHECK(!has_failed(failed, lane));
      const MatrixXd expected = matrices.dense[std::size_t(lane)].llt().matrixL();
      CHECK(largest(matrices.lower(lane) - expected) < 1e-12 * largest(expected));
      for (int i = 0; i < rows; ++i)
        CHECK(get_lane(matrices.triangle.inverse_diagonal[i], lane) == doctest::Approx(1.0 / expected(i, i)));
    }
  }
}

TEST_CASE("the leading rows alone can be factorised, and the others stay") {
  Matrices matrices(11);
  Pack<lanes>::Bits failed = {};
  matrices.triangle.factorize(10, 1e-14, failed);
  const MatrixXd expected = matrices.dense[1].topLeftCorner(10, 10).llt().matrixL();
  CHECK(largest(matrices.lower(1).topLeftCorner(10, 10) - expected) < 1e-12);
  CHECK((matrices.lower(1).row(10) == matrices.dense[1].row(10)));
}

TEST_CASE("forward and backward solves of any number of vectors and any length") {
  for (const int rows : {1, 2, 3, 4, 5, 7, 12, 13})
    for (const int length : {1, 2, rows - 1, rows})
      for (const int count : {1, 2, 3, 4, 5, 7}) {
        if (length < 1 || length > rows) continue;
        CAPTURE(rows);
        CAPTURE(length);
        CAPTURE(count);
        Matrices matrices(rows);
        Pack<lanes>::Bits failed = {};
        matrices.triangle.factorize(rows, 1e-14, failed);
        const Philox random(3);
        AlignedBuffer memory(std::size_t(count) * rows * lanes);
        std::vector<V*> x;
        std::vector<MatrixXd> dense(lanes, MatrixXd(rows, count));
        for (int c = 0; c < count; ++c) {
          x.push_back(reinterpret_cast<V*>(memory.data()) + c * rows);
          for (int i = 0; i < rows; ++i)
            for (int lane = 0; lane < lanes; ++lane) {
              dense[std::size_t(lane)](i, c) = random.normal(std::uint64_t((c * rows + i) * lanes + lane));
              set_lane(x.back()[i], lane, dense[std::size_t(lane)](i, c));
            }
        }
        matrices.triangle.solve_forward(x.data(), count, length);
        for (int c = 0; c < count; ++c) {
          if (c > 0) matrices.triangle.solve_backward(x[std::size_t(c)], length);
          for (int lane = 0; lane < lanes; ++lane) {
            VectorXd expected = dense[std::size_t(lane)].col(c);
            const MatrixXd lower = matrices.lower(lane).topLeftCorner(length, length);
            expected.head(length) = lower.triangularView<Eigen::Lower>().solve(expected.head(length));
            if (c > 0)
              expected.head(length) = lower.transpose().triangularView<Eigen::Upper>().solve(expected.head(length));
            double error = 0.0;
            for (int i = 0; i < rows; ++i)
              error = std::max(error, std::abs(get_lane(x[std::size_t(c)][i], lane) - expected[i]));
            CHECK(error < 1e-11 * std::max(1.0, largest(expected)));
          }
        }
      }
}

TEST_CASE("rows that are zero but for a few columns are solved without the others") {
  constexpr int count = Triangle<lanes>::block;
  for (const int rows : {3, 5, 9, 13})
    for (int from = 0; from + count <= rows; from += count) {
      CAPTURE(rows);
      CAPTURE(from);
      Matrices matrices(rows);
      Pack<lanes>::Bits failed = {};
      matrices.triangle.factorize(rows, 1e-14, failed);
      std::vector<V> values(std::size_t(count) * rows, broadcast<V>(std::nan("")));
      V* x[count];
      for (int i = 0; i < count; ++i) {
        x[i] = values.data() + std::size_t(i) * rows;
        for (int j = 0; j < count; ++j) x[i][from + j] = broadcast<V>(double(i == j));
      }
      matrices.triangle.solve_short_rows<count>(x, from, rows);
      for (int lane = 0; lane < lanes; ++lane) {
        const MatrixXd lower = matrices.lower(lane);
        const MatrixXd inverse = lower.triangularView<Eigen::Lower>().solve(MatrixXd::Identity(rows, rows));
        for (int i = 0; i < count; ++i)
          for (int j = from; j < rows; ++j)
            CHECK(std::abs(get_lane(x[i][j], lane) - inverse(j, from + i)) < 1e-12 * largest(inverse));
      }
    }
}

TEST_CASE("a singular matrix fails in its own lane only, whatever row shows it") {
  for (const int rows : {2, 5, 9})
    for (int bad_row = 1; bad_row < rows; ++bad_row) {
      Matrices matrices(rows);
      for (int j = 0; j < bad_row; ++j) set_lane(matrices.triangle.row(bad_row)[j], 1, matrices.dense[1](0, j));
      set_lane(matrices.triangle.row(bad_row)[bad_row], 1, matrices.dense[1](0, 0));
      Pack<lanes>::Bits failed = {};
      matrices.triangle.factorize(rows, 1e-14, failed);
      CHECK(!has_failed(failed, 0));
      CHECK(has_failed(failed, 1));
      const MatrixXd expected = matrices.dense[0].llt().matrixL();
      CHECK(largest(matrices.lower(0) - expected) < 1e-12 * largest(expected));
      CHECK(matrices.lower(1).allFinite());
    }
}

TEST_CASE("a pivot that is not a number fails") {
  Matrices matrices(3);
  set_lane(matrices.triangle.row(1)[1], 0, std::nan(""));
  Pack<lanes>::Bits failed = {};
  matrices.triangle.factorize(3, 1e-14, failed);
  CHECK(has_failed(failed, 0));
  CHECK(!has_failed(failed, 1));
}
