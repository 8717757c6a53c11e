#include "linalg/tiled_cholesky.h"

#include <algorithm>

#include "linalg/product_engine.h"
#include "parallel/parallel_for.h"

namespace neargp {

namespace {

using Matrix = Eigen::MatrixXd;

// Large enough for products to reach their speed. Small enough for several tiles at a time and for an answer to an
// interrupt. A tile takes 0.1 s where n is 3000, and 0.5 s where it is 10,000.
constexpr Index tile = 256;

Index tiles(Index n, Index size = tile) { return (n + size - 1) / size; }

struct Span {
  Index first, size;
};

Span span(Index t, Index n, Index size = tile) { return {t * size, std::min(size, n - t * size)}; }

Block block(Matrix& x, Span rows, Span columns) {
  return {x.data() + columns.first * x.rows() + rows.first, rows.size, columns.size, x.rows()};
}

ConstBlock operand(const Matrix& x, Span rows, Span columns, bool transposed = false) {
  return {x.data() + columns.first * x.rows() + rows.first, rows.size, columns.size, x.rows(), transposed};
}

// Forward substitution, one row of tiles after the other: X_i = L_ii^-1 (X_i - sum_p L_ip X_p). The function `zeros`
// returns the number of rows at the top of a column of tiles that are zero and remain so, a multiple of the tile.
template <class Zeros>
void substitute(const Matrix& lower, Matrix& x, const Zeros& zeros, const RunContext& context) {
  const ProductEngine& engine = product_engine();
  for (Index t = 0; t < tiles(x.rows()); ++t) {
    const Span row = span(t, x.rows());
    parallel_for(context, tiles(x.cols()), [&](Index c) {
      const Span column = span(c, x.cols());
      const Span above{zeros(c), row.first - zeros(c)};
      if (above.size < 0) return;
      const Block here = block(x, row, column);
      if (above.size > 0) engine.add_product(-1.0, operand(lower, row, above), operand(x, above, column), here);
      engine.solve_left(operand(lower, row, row), here);
    });
  }
}

// Calls body(i, j) for the tiles i >= j of the lower triangle.
template <class Body>
void for_each_lower_tile(Index n, const RunContext& context, const Body& body) {
  const Index count = tiles(n);
  parallel_for(context, count * (count + 1) / 2, [&](Index chunk) {
    Index j = 0;
    while (chunk >= count - j) chunk -= count - j++;
    body(j + chunk, j);
  });
}

}  // namespace

// Left-looking: each column of tiles is updated by the columns before it. Then its diagonal tile is factorised, and the
// tiles below are solved for.
bool tiled_cholesky(Matrix& s, const RunContext& context) {
  const ProductEngine& engine = product_engine();
  const Index n = s.rows();
  for (Index t = 0; t < tiles(n); ++t) {
    const Span column = span(t, n), done{0, column.first};
    if (t > 0)
      parallel_for(context, tiles(n) - t, [&](Index below) {
        const Span row = span(t + below, n);
        const ConstBlock left = operand(s, row, done);
        if (below == 0) {
          engine.add_square(-1.0, left, block(s, row, column));
        } else {
          engine.add_product(-1.0, left, operand(s, column, done, true), block(s, row, column));
        }
      });
    if (!engine.factorize(block(s, column, column))) return false;
    parallel_for(context, tiles(n) - t - 1, [&](Index below) {
      engine.solve_right(operand(s, column, column, true), block(s, span(t + 1 + below, n), column));
    });
  }
  return true;
}

void tiled_lower_solve(const Matrix& lower, Matrix& x, const RunContext& context) {
  substitute(
      lower, x, [](Index) { return Index(0); }, context);
}

// X = L^-1 is lower triangular, so that tile (i, j) of X'X needs the rows from the i-th on. Half of the tiles are
// mirrored.
Matrix tiled_inverse(const Matrix& lower, const RunContext& context) {
  const Index n = lower.rows();
  Matrix x = Matrix::Identity(n, n);
  substitute(
      lower, x, [](Index column) { return column * tile; }, context);
  Matrix inverse = Matrix::Zero(n, n);
  for_each_lower_tile(n, context, [&](Index i, Index j) {
    const Span row = span(i, n), column = span(j, n), inner{row.first, n - row.first};
    product_engine().add_product(1.0, operand(x, inner, row, true), operand(x, inner, column),
                                 block(inverse, row, column));
    if (i != j)
      inverse.block(column.first, row.first, column.size, row.size) =
          inverse.block(row.first, column.first, row.size, column.size).transpose();
  });
  return inverse;
}

Matrix tiled_product(const Matrix& a, const Matrix& b, const RunContext& context) {
  constexpr Index height = 4 * tile;  // each rearranges its columns of b once
  Matrix product = Matrix::Zero(a.rows(), b.cols());
  const Index rows = tiles(a.rows(), height);
  parallel_for(context, rows * tiles(b.cols()), [&](Index chunk) {
    const Span row = span(chunk % rows, a.rows(), height), column = span(chunk / rows, b.cols());
    product_engine().add_product(1.0, operand(a, row, {0, a.cols()}), operand(b, {0, b.rows()}, column),
                                 block(product, row, column));
  });
  return product;
}

}  // namespace neargp
