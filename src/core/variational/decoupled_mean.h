// The mean of a Gaussian process on inducing points: the points of the posterior's covariance, and further points for
// the mean alone. The equations are those of mean_equations.h with K ~ F'F, where F are the features of the rows on all
// points together.
//
// Orthogonally decoupled bases (Salimbeni et al. 2018) give the same means. In either basis, the points Z and G
// together span these means. Let R_gg = K_gg - K_gz K_zz^-1 K_zg be the Schur complement in the factor of both. The
// coefficients of G in their basis solve
//
//   (R_gg + R_gx P R_xg) a = R_gx P e.
#pragma once

#include "variational/mean_equations.h"

namespace neargp {

// `jitter`: of the points' covariance matrix, relative to the field's variance.
MeanSolution decoupled_mean(const MeanEquations& equations, Points points, const Covariance& covariance, double jitter,
                            const RunContext& context);

// (K_pp + jitter)^-1 K_px a: the mean at x is k(x, points) times these.
struct PointWeights {
  BoundFailure failure = BoundFailure::none;
  Eigen::MatrixXd weights;
};

PointWeights point_weights(Points rows, const Eigen::MatrixXd& solved, Points points, const Covariance& covariance,
                           double jitter, const RunContext& context);

}  // namespace neargp
