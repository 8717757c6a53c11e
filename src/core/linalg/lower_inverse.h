// The inverse of a lower triangle, for solves of very many columns, a few at a time. Products run up to one and a half
// times as fast as solves. The digits of a solve are those of a product with L^-1. This product loses up to the
// condition of L, where a solve loses less.
#pragma once

#include "linalg/products.h"

namespace neargp {

class LowerInverse {
 public:
  // The inverse of the lower triangle of `lower`.
  explicit LowerInverse(ConstMatrixView lower);

  // Y = L^-1 X and Y = L^-T X
  void multiply(ConstMatrixView x, MatrixView y) const;
  void multiply_transposed(ConstMatrixView x, MatrixView y) const;

 private:
  Eigen::MatrixXd inverse_;
};

}  // namespace neargp
