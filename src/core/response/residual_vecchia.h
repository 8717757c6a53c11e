// Vecchia's likelihood of what inducing points leave over, added to their low-rank part ("VIF": Gyger, Furrer and
// Sigrist 2025): the data have the covariance matrix A'A + V, V that of Vecchia's approximation for the residual field
// (residual_rows.h) with its noise.
//
// With b_i and D_i of residual_conditional.h, N the neighbours of row i and e = y - H beta,
//
//   a~_i = (A_i - A_N b_i) / D_i^(1/2),   y~_i = (e_i - b_i'e_N) / D_i^(1/2),
//   B = I + sum a~_i a~_i',   c = sum a~_i y~_i,
//   log L = -1/2 [ n log 2 pi + sum log D_i + log|B| + sum y~_i^2 - c'B^-1 c ],
//
// the field at the inducing points is L w with w ~ N(B^-1 c, B^-1), and the trend is profiled out. The exact likelihood
// where every row has all earlier ones for neighbours, and that of Vecchia's approximation far from inducing points.
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

// `neighbors`: for each row rows that come before it in some ordering, absent ones last. `within`: a Gram matrix of the
// columns, empty for none, of whitened observations without information about the field, which is fixed in the
// gradient.
ResidualVecchia residual_vecchia(const RegressionData& data, Points inducing, const NeighborTable& neighbors,
                                 const Covariance& covariance, double jitter, bool derivatives,
                                 const RunContext& context, const Eigen::MatrixXd& within = {});

}  // namespace neargp
