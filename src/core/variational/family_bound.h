// The evidence lower bound on inducing points of a response of any family.
//
// The linear predictor is eta_i = offset_i + x_i'beta + A_i'w plus what the inducing points leave unexplained of the
// field; w ~ N(0, I) is the whitened field at these, q(w) = N(m, S) its posterior, and
//
//   J = sum_i E log p(y_i | eta_i) - KL[q(w) // N(0, I)] - u/2 (v - 1 - log v),
//   eta_i ~ N(offset_i + x_i'beta + A_i'm, v d_i + A_i'S A_i).
//
// Each row is a pseudo-observation of precision W_i and natural mean h_i: with B = I + A W A', S = B^-1, and (m, beta)
// solve
//
//   [B, A W X; X'W A', X'W X] [m; beta] = [A h; X'h].
//
// A step to W_i = -E d2 log p, h_i = W_i (E eta_i - offset_i) + E d log p is one of natural gradients of size one (Khan
// and Lin 2017), and a part of it a smaller one. The field at the u distinct places of the rows may have a share v of
// its prior's conditional covariance given the inducing points (the form that Titsias' tight bound of 2025 takes off
// Gaussian responses): v = 1 / (1 + sum(W_i d_i) / u) is best, v = 1 the standard bound. Predictions have v = 1.
//
// Effects, see inducing_posterior.h, are columns of X with a posterior like that of w; their divergence from the prior
// is also subtracted.
//
// Where the divergences have a weight c, sum E log p - c (..) is c times the bound of densities p^(1/c), and W, h and v
// are of these.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "variational/collapsed_bound.h"
#include "variational/family_rows.h"

namespace neargp {

// Where a search for the posterior begins, and where it ended.
struct FamilyPosterior {
  Eigen::VectorXd precision, natural;  // W and h
  double unexplained_share = 1.0;      // v
};

// Pseudo-observations at linear predictors that the responses themselves suggest, one for each row.
FamilyPosterior family_posterior_at(const std::vector<double>& linear_predictor, const LatentResponse& response,
                                    const Likelihood& likelihood, const RunContext& context);

struct FamilyBoundSettings {
  BoundKind kind = BoundKind::tight;
  double jitter = 1e-6;     // of the prior's covariance matrix, relative to the field's variance
  double kl_weight = 1.0;   // c
  double tolerance = 1e-5;  // gain of a step, in units of log-likelihood, below which it was the last
  int max_iterations = 100;
  Index places = 0;  // distinct ones among the rows; 0: all are
  int effects = 0;   // the last coefficients of the design, which are N(0, I); kl_weight is 1 then
  Index chunk_rows = 1024;
};

struct FamilyBound {
  BoundFailure failure = BoundFailure::none;
  double value = 0.0;
  double divergence = 0.0;  // of the field's distribution from the prior: what c multiplies
  int iterations = 0;
  bool converged = false;
  FamilyPosterior end;
  Eigen::VectorXd beta;
  Eigen::MatrixXd beta_covariance;          // (X'W X - X'W A'B^-1 A W X)^-1
  Eigen::MatrixXd effects;                  // covariance matrix of the effects' coefficients, the others known
  Eigen::MatrixXd weights;                  // B^-1 A [h, W X]: m and beta's part in it are (1, -beta) of it
  Eigen::MatrixXd factor;                   // lower triangle with B = factor factor'
  Eigen::VectorXd linear_predictor, slope;  // mean of eta_i, and E d log p / c there
  Eigen::VectorXd variance, unexplained;    // A_i'B^-1 A_i and d_i
  InducingGradient gradient;                // empty unless it was asked for
  std::vector<double> d_likelihood;         // in the logarithms of the likelihood's parameters
};

// The bound of rows wherever they are. `offset`: of each row.
using FamilyRowsMaker = std::function<std::unique_ptr<const FamilyRows>(const InducingFactor& factor)>;
FamilyBound family_bound(const FamilyRowsMaker& make_rows, const double* offset, const InducingPoints& points,
                         const Covariance& covariance, FamilyPosterior start, const FamilyBoundSettings& settings,
                         bool derivatives, const RunContext& context);

FamilyBound family_bound(const LatentResponse& response, Points coords, Points inducing, const Covariance& covariance,
                         const Likelihood& likelihood, FamilyPosterior start, const FamilyBoundSettings& settings,
                         bool derivatives, const RunContext& context);

}  // namespace neargp
