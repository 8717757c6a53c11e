#include <doctest/doctest.h>

#include <Eigen/Core>
#include <algorithm>
#include <atomic>
#include <cmath>
#include <string>
#include <thread>
#include <vector>

#include "core_fixtures.h"
#include "linalg/blas_engine.h"
#include "linalg/product_engine.h"
#include "loop_blas.h"
#include "simd/instruction_set.h"

using namespace neargp;
using namespace fixtures;

namespace {

using Matrix = Eigen::MatrixXd;

constexpr Index padding = 3;  // rows of a buffer beyond those of the block in it

// A block of random numbers in a buffer with longer columns, and its value as a matrix.
struct Padded {
  Matrix buffer;
  Index rows;

  Padded(Index rows_, Index columns, double fill)
      : buffer(Matrix::Constant(rows_ + padding, columns, fill)), rows(rows_) {}
  static Padded random(Index rows, Index columns) {
    Padded block(rows, columns, 7.0);
    block.buffer.topRows(rows) = Matrix::Random(rows, columns);
    return block;
  }

  Block block() { return {buffer.data(), rows, buffer.cols(), buffer.rows()}; }
  ConstBlock operand(bool transposed = false) const {
    return {buffer.data(), rows, buffer.cols(), buffer.rows(), transposed};
  }
  Matrix value() const { return buffer.topRows(rows); }
};

Matrix naive_product(const Matrix& a, const Matrix& b) {
  Matrix product = Matrix::Zero(a.rows(), b.cols());
  for (Index i = 0; i < a.rows(); ++i)
    for (Index j = 0; j < b.cols(); ++j)
      for (Index p = 0; p < a.cols(); ++p) product(i, j) += a(i, p) * b(p, j);
  return product;
}

Matrix lower_part(const Matrix& x) { return x.triangularView<Eigen::Lower>(); }

Padded random_lower(Index n) {
  Padded lower = Padded::random(n, n);
  lower.buffer.topRows(n).diagonal().array() += 3.0 + std::sqrt(double(n));
  return lower;
}

// With Eigen for each instruction set, and with a BLAS.
template <class Action>
void with_each_engine(const Action& action) {
  with_each_instruction_set(action);
  const LoopBlas blas;
  use_product_engine(&blas.engine());
  action();
  use_product_engine(nullptr);
}

void check_close(const Matrix& a, const Matrix& b) { CHECK((a - b).cwiseAbs().maxCoeff() < 1e-11); }

}  // namespace

TEST_CASE("products, solves and factors of blocks are those of plain loops, with every engine") {
  with_each_engine([] {
    const ProductEngine& engine = product_engine();
    for (const Index size : {1, 2, 7, 33, 150}) {
      const Index rows = size, inner = 2 * size + 1, columns = size / 2 + 1;
      for (const bool ta : {false, true})
        for (const bool tb : {false, true}) {
          const Padded a = ta ? Padded::random(inner, rows) : Padded::random(rows, inner);
          const Padded b = tb ? Padded::random(columns, inner) : Padded::random(inner, columns);
          Padded c = Padded::random(rows, columns);
          const Matrix left = ta ? Matrix(a.value().transpose()) : a.value();
          const Matrix right = tb ? Matrix(b.value().transpose()) : b.value();
          const Matrix expected = c.value() - 0.5 * naive_product(left, right);
          engine.add_product(-0.5, a.operand(ta), b.operand(tb), c.block());
          check_close(c.value(), expected);
          CHECK((c.buffer.bottomRows(padding).array() == 7.0).all());

          if (tb) continue;
          Padded square = Padded::random(rows, rows);
          const Matrix upper = square.value();
          const Matrix sum = square.value() + 2.0 * naive_product(left, left.transpose());
          engine.add_square(2.0, a.operand(ta), square.block());
          check_close(lower_part(square.value()), lower_part(sum));
          CHECK(square.value().triangularView<Eigen::StrictlyUpper>().toDenseMatrix() ==
                upper.triangularView<Eigen::StrictlyUpper>().toDenseMatrix());
        }
    }
  });
}

TEST_CASE("triangular solves undo products, and factors have the square that they are of, with every engine") {
  with_each_engine([] {
    const ProductEngine& engine = product_engine();
    for (const Index n : {1, 3, 40, 130}) {
      const Padded lower = random_lower(n);
      const Matrix triangle = lower_part(lower.value());
      for (const bool transposed : {false, true}) {
        const Matrix factor = transposed ? Matrix(triangle.transpose()) : triangle;
        Padded x = Padded::random(n, 5), y = Padded::random(4, n);
        const Matrix before_x = x.value(), before_y = y.value();
        engine.solve_left(lower.operand(transposed), x.block());
        check_close(naive_product(factor, x.value()), before_x);
        engine.solve_right(lower.operand(transposed), y.block());
        check_close(naive_product(y.value(), factor), before_y);
      }
      Padded square(n, n, 7.0);
      square.buffer.topRows(n) = naive_product(triangle, triangle.transpose());
      CHECK(engine.factorize(square.block()));
      CHECK((lower_part(square.value()) - triangle).cwiseAbs().maxCoeff() < 1e-10 * triangle.norm());
      square.buffer.topRows(n) = -Matrix::Identity(n, n);
      CHECK_FALSE(engine.factorize(square.block()));
    }
  });
}

// Memory is aligned to 16 bytes, and vectors of four numbers may be treated otherwise at addresses that are multiples
// of 32.
TEST_CASE("results do not depend on where blocks lie in memory, with every instruction set") {
  with_each_instruction_set([] {
    const ProductEngine& engine = product_engine();
    const Matrix a = Matrix::Random(60, 60), square = naive_product(a, a.transpose()) + Matrix::Identity(60, 60);
    std::vector<std::vector<double>> results;
    for (int offset = 0; offset < 4; ++offset) {
      std::vector<double> left(3700 + offset), factor(left), sums(left), one(60 + offset);
      std::copy_n(a.data(), 3600, left.data() + offset);
      std::copy_n(square.data(), 3600, factor.data() + offset);
      std::copy_n(a.data(), 60, one.data() + offset);
      const ConstBlock l{left.data() + offset, 60, 60, 60}, f{factor.data() + offset, 60, 60, 60};
      const Block s{sums.data() + offset, 60, 60, 60}, column{one.data() + offset, 60, 1, 60};
      REQUIRE(engine.factorize({factor.data() + offset, 60, 60, 60}));
      engine.solve_left(f, column);
      engine.add_product(1.0, l, {one.data() + offset, 60, 1, 60}, {sums.data() + offset, 60, 1, 60});
      engine.add_square(1.0, l, s);
      engine.solve_right(f, s);
      engine.add_product(0.7, {l.data, 5, 3, 60}, {l.data, 3, 6, 60}, {s.data + 1, 5, 6, 60});  // a small one
      std::vector<double> all(factor.begin() + offset, factor.begin() + offset + 3600);
      all.insert(all.end(), sums.begin() + offset, sums.begin() + offset + 3600);
      all.insert(all.end(), one.begin() + offset, one.end());
      results.push_back(all);
    }
    for (const std::vector<double>& result : results) CHECK((result == results.front()));
  });
}

// Sizes around those of panels, slabs and blocks of summands. Newer versions of Eigen add up in another order.
TEST_CASE("products with AVX-512 and with AVX2 are equal to the last digit, if Eigen is 3.3") {
  if (EIGEN_VERSION_AT_LEAST(3, 3, 90)) return;
  const std::vector<const char*>& sets = tested_instruction_sets();
  const auto is_tested = [&](const char* set) {
    return std::any_of(sets.begin(), sets.end(), [&](const char* own) { return std::string(own) == set; });
  };
  if (!is_tested("avx512") || !is_tested("avx2")) return;
  const KeepInstructionSet keep;
  const auto results = [](const char* set, const Matrix& a, const Matrix& b, bool transposed) {
    use_instruction_set(set);
    const Index rows = transposed ? a.cols() : a.rows();
    Matrix product = Matrix::Constant(rows, b.cols(), 0.1), square = Matrix::Constant(rows, rows, 0.1);
    const ConstBlock left{a.data(), a.rows(), a.cols(), a.rows(), transposed};
    product_engine().add_product(-1.0, left, {b.data(), b.rows(), b.cols(), b.rows()},
                                 {product.data(), rows, b.cols(), rows});
    product_engine().add_square(1.0, left, {square.data(), rows, rows, rows});
    Matrix both(rows, b.cols() + rows);
    both << product, square;
    return both;
  };
  for (const Index rows : {24, 27, 31, 96, 98, 121})
    for (const Index columns : {6, 8, 15, 514})
      for (const Index depth : {12, 33, 1027})
        for (const bool transposed : {false, true}) {
          CAPTURE(rows);
          CAPTURE(columns);
          CAPTURE(depth);
          const Matrix a = transposed ? Matrix::Random(depth, rows) : Matrix::Random(rows, depth);
          const Matrix b = Matrix::Random(depth, columns);
          CHECK(results("avx512", a, b, transposed) == results("avx2", a, b, transposed));
        }
}

TEST_CASE("a BLAS computes on one thread while it is called, and has its number of threads back afterwards") {
  LoopBlas blas;
  for (const bool openmp : {false, true}) {
    CAPTURE(openmp);
    blas.has_openmp(openmp);
    LoopBlas::threads = 4, LoopBlas::openmp_threads = 5, LoopBlas::most_threads = 0;
    Matrix s = 3.0 * Matrix::Identity(6, 6), x = Matrix::Random(6, 6), y = Matrix::Zero(6, 6);
    const Block block{s.data(), 6, 6, 6}, out{y.data(), 6, 6, 6};
    const ConstBlock operand{x.data(), 6, 6, 6};
    const ProductEngine& engine = blas.engine();
    const auto restored = [] { return LoopBlas::threads == 4 && LoopBlas::openmp_threads == 5; };
    engine.add_product(1.0, operand, operand, out);
    CHECK(restored());
    engine.add_square(1.0, operand, out);
    CHECK(restored());
    CHECK(engine.factorize(block));
    CHECK(restored());
    engine.solve_left({s.data(), 6, 6, 6}, out);
    CHECK(restored());
    CHECK(LoopBlas::most_threads == (openmp ? 1 : 5));
    CHECK(LoopBlas::most_own_threads == 1);
  }
}

TEST_CASE("a BLAS called by several threads has its number of threads back when the last is done") {
  const LoopBlas blas;
  const ProductEngine& engine = blas.engine();
  LoopBlas::threads = 4, LoopBlas::most_own_threads = 0;
  std::vector<Matrix> sums(4, Matrix::Zero(20, 20));
  const Matrix x = Matrix::Random(20, 20);
  const ConstBlock operand{x.data(), 20, 20, 20};
  std::vector<std::thread> callers;
  for (Matrix& sum : sums)
    callers.emplace_back([&engine, &operand, &sum] {
      for (int i = 0; i < 200; ++i) engine.add_product(1.0, operand, operand, {sum.data(), 20, 20, 20});
    });
  for (std::thread& caller : callers) caller.join();
  CHECK(LoopBlas::threads == 4);
  CHECK(LoopBlas::most_own_threads == 1);
  for (const Matrix& sum : sums) CHECK(sum == sums.front());
}

TEST_CASE("a library without OpenBLAS's functions is not taken for a fast BLAS") {
  CHECK(find_fast_blas(reinterpret_cast<const void*>(&naive_product)).configuration.empty());
}
