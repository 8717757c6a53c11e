// Vecchia's likelihood of what inducing points leave over, added to their low-rank part ("VIF": Gyger, Furrer and
// Sigrist 2025). The covariance matrix of the data is A'A + V. V belongs to Vecchia's approximation for the residual
// field (residual_rows.h), with its noise.
//
// Let e = y - H beta, let N be the neighbours of row i, and let b_i and D_i be as in residual_conditional.h. Division
// by D_i^(1/2) turns A_i - A_N b_i into a~_i, and e_i - b_i'e_N into y~_i. Let B = I + sum a~_i a~_i' and c = sum a~_i
// y~_i. The log-likelihood is
//
//   log L = -1/2 [ n log 2 pi + sum log D_i + log|B| + sum y~_i^2 - c'B^-1 c ].
//
// The field at the inducing points is L w with w ~ N(B^-1 c, B^-1), and the trend is profiled out. If the neighbours of
// every row are all earlier rows, the likelihood is exact. Far from inducing points it is that of Vecchia's
// approximation.
#pragma once

#include "geometry/neighbors.h"
#include "variational/collapsed_bound.h"

namespace neargp {

struct ResidualVecchia {
  BoundFailure failure = BoundFailure::none;
  Index failed_row = -1;  // or the first row whose neighbours' covariance matrix is numerically singular
  double value = 0.0;     // the log-likelihood
  Eigen::VectorXd beta;
  Eigen::MatrixXd beta_covariance;  // that of generalised least squares
  Eigen::MatrixXd weights;          // B^-1 sum a~_i y~_i, of each column of the data
  Eigen::MatrixXd factor;           // lower triangle with B = factor factor'
  double unexplained = 0.0;         // mean of rho(x_i, x_i)
  InducingGradient gradient;        // empty unless it was asked for
};

// `neighbors`: for each row, rows that come before it in some ordering, absent ones last. `within`: a Gram matrix of
// the columns, empty for none. It is that of whitened observations without information about the field, and is fixed in
// the gradient.
ResidualVecchia residual_vecchia(const RegressionData& data, Points inducing, const NeighborTable& neighbors,
                                 const Covariance& covariance, double jitter, bool derivatives,
                                 const RunContext& context, const Eigen::MatrixXd& within = {});

}  // namespace neargp
