#include "linalg/tiled_cholesky.h"

#include <Eigen/Cholesky>
#include <algorithm>

#include "parallel/parallel_for.h"

namespace neargp {

namespace {

using Matrix = Eigen::MatrixXd;

// Large enough for Eigen's products to reach their speed, and small enough for some of them at a time and for an answer to
// an interrupt: 0.1 s each where n is 3000, 0.5 s where it is 10,000.
constexpr Index tile = 256;

Index tiles(Index n, Index size = tile) { return (n + size - 1) / size; }

struct Span {
  Index first, size;
};

Span span(Index t, Index n, Index size = tile) { return {t * size, std::min(size, n - t * size)}; }

// Forward substitution, a row of tiles after the other: X_i = L_ii^-1 (X_i - sum_p L_ip X_p). `zeros(column)`: how many rows
// of that column of tiles are zero at the top, which they remain; a multiple of the tile.
template <class Zeros>
void substitute(const Matrix& lower, Matrix& x, const Zeros& zeros, const RunContext& context) {
  for (Index t = 0; t < tiles(x.rows()); ++t) {
    const Span row = span(t, x.rows());
    parallel_for(context, tiles(x.cols()), [&](Index c) {
      const Span column = span(c, x.cols());
      const Index top = zeros(c), inner = row.first - top;
      if (inner < 0) return;
      auto here = x.block(row.first, column.first, row.size, column.size);
      if (inner > 0)
        here.noalias() -= lower.block(row.first, top, row.size, inner) * x.block(top, column.first, inner, column.size);
      lower.block(row.first, row.first, row.size, row.size).triangularView<Eigen::Lower>().solveInPlace(here);
    });
  }
}

// calls body(i, j) for the tiles i >= j of the lower triangle.
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

// Left-looking: a column of tiles is done with the columns before it, then its diagonal tile, then what is below.
bool tiled_cholesky(Matrix& s, const RunContext& context) {
  const Index n = s.rows();
  for (Index t = 0; t < tiles(n); ++t) {
    const Span column = span(t, n);
    if (t > 0)
      parallel_for(context, tiles(n) - t, [&](Index below) {
        const Span row = span(t + below, n);
        const auto left = s.block(row.first, 0, row.size, column.first);
        auto here = s.block(row.first, column.first, row.size, column.size);
        if (below == 0) {
          here.selfadjointView<Eigen::Lower>().rankUpdate(left, -1.0);
        } else {
          here.noalias() -= left * s.block(column.first, 0, column.size, column.first).transpose();
        }
      });
    auto diagonal = s.block(column.first, column.first, column.size, column.size);
    Eigen::LLT<Eigen::Ref<Matrix>> factor(diagonal);
    if (factor.info() != Eigen::Success) return false;
    parallel_for(context, tiles(n) - t - 1, [&](Index below) {
      const Span row = span(t + 1 + below, n);
      auto here = s.block(row.first, column.first, row.size, column.size);
      diagonal.triangularView<Eigen::Lower>().transpose().solveInPlace<Eigen::OnTheRight>(here);
    });
  }
  return true;
}

void tiled_lower_solve(const Matrix& lower, Matrix& x, const RunContext& context) {
  substitute(lower, x, [](Index) { return Index(0); }, context);
}

// X = L^-1 is lower triangular, so that tile (i, j) of X'X needs the rows from the i-th on; half of the tiles are mirrored.
Matrix tiled_inverse(const Matrix& lower, const RunContext& context) {
  const Index n = lower.rows();
  Matrix x = Matrix::Identity(n, n);
  substitute(lower, x, [](Index column) { return column * tile; }, context);
  Matrix inverse(n, n);
  for_each_lower_tile(n, context, [&](Index i, Index j) {
    const Span row = span(i, n), column = span(j, n);
    const Index inner = n - row.first;
    auto here = inverse.block(row.first, column.first, row.size, column.size);
    here.noalias() = x.block(row.first, row.first, inner, row.size).transpose() *
                     x.block(row.first, column.first, inner, column.size);
    if (i != j) inverse.block(column.first, row.first, column.size, row.size) = here.transpose();
  });
  return inverse;
}

Matrix tiled_product(const Matrix& a, const Matrix& b, const RunContext& context) {
  constexpr Index height = 4 * tile;  // each rearranges its columns of b once
  Matrix product(a.rows(), b.cols());
  const Index rows = tiles(a.rows(), height);
  parallel_for(context, rows * tiles(b.cols()), [&](Index chunk) {
    const Span row = span(chunk % rows, a.rows(), height), column = span(chunk / rows, b.cols());
    product.block(row.first, column.first, row.size, column.size).noalias() =
        a.middleRows(row.first, row.size) * b.middleCols(column.first, column.size);
  });
  return product;
}

}  // namespace neargp
