// The equations for the mean of a Gaussian process given pseudo-observations, one for each row. Let W be their
// precisions, K the covariance matrix of the rows, and C a column of the data. The coefficients are a = (I + W K)^-1 C,
// and the field at the rows is K a. For a Gaussian response y, C = W y, and the mean at x is k(x, X) a.
//
// There are two kinds of columns. A column V of `values` stands for C = W V. A column C of `natural` is given as it is,
// since a row of small precision could not be divided by it. Let M = I + W^1/2 K W^1/2. The solutions are
//
//   a = W^1/2 M^-1 W^1/2 V   and   a = C - W^1/2 M^-1 W^1/2 K C.
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
