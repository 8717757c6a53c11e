// The evidence lower bound on inducing points of a response of any family.
//
// The linear predictor eta_i is offset_i + x_i'beta + A_i'w, plus the part of the field that the inducing points leave
// unexplained. Here w ~ N(0, I) is the whitened field at the inducing points, and q(w) = N(m, S) is its posterior. The
// objective is
//
//   J = sum_i E log p(y_i | eta_i) - KL[q(w) // N(0, I)] - u/2 (v - 1 - log v).
//
// Here eta_i ~ N(offset_i + x_i'beta + A_i'm, v d_i + A_i'S A_i). Each row is a pseudo-observation of precision W_i and
// natural mean h_i. With B = I + A W A', S = B^-1. The means (m, beta) solve
//
//   [B, A W X; X'W A', X'W X] [m; beta] = [A h; X'h].
//
// A step sets W_i = -E d2 log p and h_i = W_i (E eta_i - offset_i) + E d log p. This is a natural gradient step of size
// one, and a part of it is a smaller one (Khan and Lin 2017).
//
// At the u distinct locations of the rows, the posterior may multiply the conditional covariance of the prior given the
// inducing points by a share v. This is the form that the tight lower bound of Titsias (2025) takes for other responses
// than Gaussian ones. The best share is v = 1 / (1 + sum(W_i d_i) / u), and v = 1 gives the standard lower bound.
// Predictions use v = 1.
//
// Effects, see inducing_posterior.h, are columns of X with a posterior like that of w. Their divergence from the prior
// is also subtracted.
//
// With a weight c of the divergences, the objective is c times the evidence lower bound of the densities p^(1/c). W, h
// and v then belong to these densities.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "variational/collapsed_bound.h"
#include "variational/family_rows.h"

namespace neargp {

// Where a search for the posterior starts, and where it ended.
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
  double tolerance = 1e-5;  // gain of a step, in units of log-likelihood, below which the search ends
  int max_iterations = 100;
  Index places = 0;  // distinct locations of the rows; 0: all rows are distinct
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

// The evidence lower bound of rows in this process or in others. `offset`: one for each row.
using FamilyRowsMaker = std::function<std::unique_ptr<const FamilyRows>(const InducingFactor& factor)>;
FamilyBound family_bound(const FamilyRowsMaker& make_rows, const double* offset, const InducingPoints& points,
                         const Covariance& covariance, FamilyPosterior start, const FamilyBoundSettings& settings,
                         bool derivatives, const RunContext& context);

FamilyBound family_bound(const LatentResponse& response, Points coords, Points inducing, const Covariance& covariance,
                         const Likelihood& likelihood, FamilyPosterior start, const FamilyBoundSettings& settings,
                         bool derivatives, const RunContext& context);

}  // namespace neargp
