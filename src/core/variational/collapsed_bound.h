// The evidence lower bound of a Gaussian response on inducing points. The best Gaussian distribution of the field at
// these points is in closed form, and the trend is profiled out.
//
// Let A = L^-1 K_zx, and let W be the diagonal matrix of the precisions of the noise. The residuals of the trend are
// e = y - X beta. Let d_i be the variance of the field at row i that the inducing points leave unexplained. The lower
// bound is
//
//   F = log N(e; 0, A'A + W^-1) - 1/2 sum t_i.
//
// Titsias (2009) uses t_i = W_i d_i. Titsias (2025) uses t_i = log(1 + W_i d_i), the "tight" kind. Let B = I + A W A'.
// The density then needs
//
//   log|A'A + W^-1| = log|B| - sum log W_i,   (A'A + W^-1)^-1 = W - W A' B^-1 A W.
//
// Therefore one pass over the rows suffices for all sums: B, A W R and R'W R, where the columns of R are response and
// design. The field at the inducing points is L w with w ~ N(B^-1 A W e, B^-1). Scaling row i by sqrt(W_i) makes the
// noise spherical. The tight kind was derived for spherical noise, and therefore holds for any W.
//
// The last columns Z of the design may be those of effects. Their coefficients u ~ N(0, I) are integrated out. F is a
// lower bound given u. It remains one with A'A + Z Z' + W^-1 in place of A'A + W^-1, and with the same t_i. Let G be
// the Gram matrix of the whitened columns, and H = G_xx + diag(0, I), where x stands for all columns of the design.
// Then (beta, u) = H^-1 G_xy. F is its value with this trend known, minus 1/2 (u'u + log|C|). Here C = I + G_zz is the
// block of u in H.
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
  bool reml = false;            // the density of contrasts of e that contain no trend, in place of the profiled density
  int effects = 0;              // the last columns of the design, with coefficients N(0, I)
  Index chunk_rows = 256;       // at a time; a few matrices of chunk_rows x inducing points for each thread
  double most_bytes = 1 << 30;  // of features that the value keeps for the gradient, which else computes them again
};

enum class BoundFailure { none, prior, posterior, trend };  // whose matrix is numerically singular

struct CollapsedBound {
  BoundFailure failure = BoundFailure::none;
  double value = 0.0;
  Eigen::VectorXd beta;             // with u
  Eigen::MatrixXd beta_covariance;  // H^-1, that of generalised least squares
  Eigen::MatrixXd effects;          // C^-1, or for REML its part of H^-1; empty without effects
  Eigen::MatrixXd weights;          // B^-1 A W R: predictions multiply the features of a location by these
  Eigen::MatrixXd factor;           // lower triangle with B = factor factor'
  double unexplained = 0.0;         // mean of d_i
  InducingGradient gradient;        // empty unless it was asked for
};

// Throws an Error unless the nugget is above zero.
CollapsedBound collapsed_bound(const RegressionData& data, Points inducing, const Covariance& covariance,
                               const BoundSettings& settings, bool derivatives, const RunContext& context);

}  // namespace neargp
