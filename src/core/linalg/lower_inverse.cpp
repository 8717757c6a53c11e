#include "linalg/lower_inverse.h"

#include <algorithm>

namespace neargp {

namespace {

// Columns of the inverse that are multiplied at a time. Half of their square on the diagonal is zeros, which the
// products include. Narrow panels contain few zeros, but make products too thin.
constexpr Index panel = 24;

// Columns of the inverse that are solved for at a time.
constexpr Index solved = 64;

// body(first, count) for panels of n columns.
template <class Body>
void over_panels(Index n, Index width, const Body& body) {
  for (Index first = 0; first < n; first += width) body(first, std::min(width, n - first));
}

ConstBlock part(ConstMatrixView x, Index row, Index column, Index rows, Index columns, bool transposed = false) {
  return {x.data() + row + column * x.outerStride(), rows, columns, x.outerStride(), transposed};
}

}  // namespace

LowerInverse::LowerInverse(ConstMatrixView lower) : inverse_(Eigen::MatrixXd::Identity(lower.rows(), lower.rows())) {
  const Index n = lower.rows();
  over_panels(n, solved, [&](Index first, Index count) {
    const Index rest = n - first;
    lower_solve(lower.bottomRightCorner(rest, rest), inverse_.block(first, first, rest, count));
  });
}

void LowerInverse::multiply(ConstMatrixView x, MatrixView y) const {
  const Index n = inverse_.rows();
  y.setZero();
  over_panels(n, panel, [&](Index first, Index count) {
    const Index rest = n - first;
    product_engine().add_product(1.0, part(inverse_, first, first, rest, count), part(x, first, 0, count, x.cols()),
                                 {y.data() + first, rest, y.cols(), y.outerStride()});
  });
}

void LowerInverse::multiply_transposed(ConstMatrixView x, MatrixView y) const {
  const Index n = inverse_.rows();
  y.setZero();
  over_panels(n, panel, [&](Index first, Index count) {
    const Index last = first + count;
    product_engine().add_product(1.0, part(inverse_, first, 0, count, last, true), part(x, first, 0, count, x.cols()),
                                 {y.data(), last, y.cols(), y.outerStride()});
  });
}

}  // namespace neargp
