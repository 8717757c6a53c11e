// The mean of a Gaussian process given pseudo-observations, one for each row: with W their precisions and K the
// covariance matrix of the rows, a column C of the data has the coefficients a = (I + W K)^-1 C, and the field K a at
// the rows. A Gaussian response y has C = W y, and its mean is k(x, X) a.
//
// Columns come in two kinds: W V for `values` V, and `natural` ones that are given as they are, since a row of little
// precision could not be divided by it. Solved are
//
//   a = W^1/2 (I + W^1/2 K W^1/2)^-1 W^1/2 V,    a = C - W^1/2 (I + W^1/2 K W^1/2)^-1 W^1/2 K C.
#pragma once

#include <Eigen/Core>

#include "geometry/points.h"
#include "variational/collapsed_bound.h"

namespace neargp {

// natural, values: a row for each of `coords`, any number of columns. No precision is negative. Owns nothing of
// `coords`.
struct MeanEquations {
  Points coords;
  Eigen::VectorXd precision;
  Eigen::MatrixXd natural, values;
};

// Columns: those of natural, then those of values.
struct MeanSolution {
  BoundFailure failure = BoundFailure::none;
  Eigen::MatrixXd solved;  // a
  Eigen::MatrixXd field;   // K a
  int iterations = 0;      // none where a direct solver has found it
  double residual = 0.0;   // the largest, relative
};

}  // namespace neargp
