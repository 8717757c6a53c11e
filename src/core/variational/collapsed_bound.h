// The evidence lower bound of a Gaussian response on inducing points, with the best Gaussian distribution of the
// field at these in closed form, and the trend profiled out.
//
// With A = L^-1 K_zx, W the diagonal matrix of the noise's precisions, d_i the variance of the field at row i that
// inducing points leave unexplained, and e = y - H beta,
//
//   F = log N(e; 0, A'A + W^-1) - 1/2 sum t_i,
//   t_i = W_i d_i (Titsias 2009) or log(1 + W_i d_i) (Titsias 2025, "tight"),
//   B = I + A W A',   log|A'A + W^-1| = log|B| - sum log W_i,   (A'A + W^-1)^-1 = W - W A' B^-1 A W,
//
// so that one pass over the rows has everything: B, A W R and R'W R, R the columns of response and design. The field
// at the inducing points is L w with w ~ N(B^-1 A W e, B^-1). Scaling row i by sqrt(W_i) makes the noise spherical,
// for which the tight bound was derived: it holds for any W.
//
// The last columns Z of the design may be of effects, with coefficients u ~ N(0, I) that are integrated out. F is a
// bound given u, and so it is with A'A + Z Z' + W^-1 in the place of A'A + W^-1 and t_i as above. With the Gram matrix
// G of the whitened columns and H = G + diag(0, I) in its rows of the design, (beta, u) = H^-1 G_xy, and F has what it
// has with a known trend, less 1/2 (u'u + log|C|), C = I + G_zz the block of u in H.
#pragma once

#include <vector>

#include "base/run_context.h"
#include "variational/cross_block.h"

namespace neargp {

enum class BoundKind { tight, standard };

// `values`: n x columns, row-major: response, then design, then effects. The noise variance of row i is the
// covariance's nugget times noise_scale[i]. Owns nothing.
struct RegressionData {
  Points coords;
  int columns = 1;
  const double* values = nullptr;
  const double* noise_scale = nullptr;
};

struct BoundSettings {
  BoundKind kind = BoundKind::tight;
  double jitter = 1e-6;         // of the prior's covariance matrix, relative to the field's variance
  bool reml = false;            // the density of contrasts of e that have no trend, in place of the profiled one
  int effects = 0;              // the last columns of the design, which have coefficients N(0, I)
  Index chunk_rows = 256;       // at a time; a few matrices of chunk_rows x inducing points for each thread
  double most_bytes = 1 << 30;  // of features that the gradient keeps from the value, rather than computing them anew
};

enum class BoundFailure { none, prior, posterior, trend };  // whose matrix is numerically singular

struct CollapsedBound {
  BoundFailure failure = BoundFailure::none;
  double value = 0.0;
  Eigen::VectorXd beta;             // with u
  Eigen::MatrixXd beta_covariance;  // H^-1, that of generalised least squares
  Eigen::MatrixXd effects;          // C^-1, or for REML its part of H^-1; empty without effects
  Eigen::MatrixXd weights;          // B^-1 A W R: what the features of a place have to be multiplied with
  Eigen::MatrixXd factor;           // lower triangle with B = factor factor'
  double unexplained = 0.0;         // mean of d_i
  InducingGradient gradient;        // empty unless it was asked for
};

// Throws an Error where the covariance has no nugget.
CollapsedBound collapsed_bound(const RegressionData& data, Points inducing, const Covariance& covariance,
                               const BoundSettings& settings, bool derivatives, const RunContext& context);

}  // namespace neargp
