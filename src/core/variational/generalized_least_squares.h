// The trend by generalized least squares, from the Gram matrix G of whitened columns, the response before the design.
// Let X stand for the rows and columns of the design in G. Then beta = G_XX^-1 G_Xy, and its covariance is G_XX^-1. For
// sums of Vecchia's kind, R/profile-likelihood.R computes the likelihood at this beta.
#pragma once

#include "linalg/products.h"

namespace neargp {

struct GeneralizedLeastSquares {
  Eigen::VectorXd beta, contrast;  // contrast: (1, -beta)
  Eigen::MatrixXd covariance;      // of beta
  Eigen::MatrixXd lower;           // Cholesky factor of the design's Gram matrix, the inverse of `covariance`
};

// False where the columns of the design are dependent.
inline bool generalized_least_squares(const Eigen::MatrixXd& gram, GeneralizedLeastSquares& trend) {
  const Index q = gram.rows() - 1;
  trend.contrast = Eigen::VectorXd::Unit(q + 1, 0);
  if (q == 0) return true;
  trend.lower = gram.bottomRightCorner(q, q);
  if (!cholesky(trend.lower)) return false;
  Eigen::MatrixXd solved(q, q + 1);
  solved << gram.bottomLeftCorner(q, 1), Eigen::MatrixXd::Identity(q, q);
  lower_solve(trend.lower, solved);
  lower_transposed_solve(trend.lower, solved);
  trend.beta = solved.col(0);
  trend.covariance = solved.rightCols(q);
  trend.contrast.tail(q) = -trend.beta;
  return true;
}

}  // namespace neargp
