// The predictive score of a distribution of the field at inducing points (PPGPR: Jankowiak, Pleiss and Gardner 2020,
// eq. 8). It is a function of the distribution's covariance matrix S and of the parameters of the likelihood, while m
// and the means of the rows are fixed. The score is
//
//   J = sum_i log E p(y_i | eta_i) - kl_weight KL[N(m, S) // N(0, I)],   eta_i ~ N(mean_i, d_i + A_i'S A_i).
//
// S is given relative to another covariance matrix, S_0 = L^-T L^-1: S = F^-T F^-1 with F = L G, where G is lower
// triangular. Let U = F^-1 A and T = F^-1. Then
//
//   A_i'S A_i = |U_i|^2,   KL = 1/2 (|T|^2 + m'm - M) + sum_j log F_jj.
//
// Let v_i be the derivative of log E p in the variance of eta_i. The lower triangle of the gradient is
//
//   dJ / dG = -2 G^-T [U diag(v) U' - kl_weight/2 T T'] - kl_weight diag(1 / G_jj).
//
// The v_i take both signs: variance rises where errors are large. Therefore there is no closed form and no single
// optimum. Relative to G, S_0 plays the part of a prior, and the curvature in all directions is about that of this
// prior. Therefore quasi-Newton methods need few steps.
#pragma once

#include "likelihoods/likelihood.h"
#include "variational/collapsed_bound.h"
#include "variational/row_features.h"

namespace neargp {

// Owns nothing. `mean`: of each row's linear predictor.
struct ScoredRows {
  Points coords;
  Observations observations;
  const double* mean = nullptr;
};

struct PredictiveScore {
  double value = 0.0;                // less kl_weight/2 (m'm - M), which is the same for all S
  Eigen::MatrixXd d_factor;          // in the lower triangle of G, on the diagonal in log G_jj
  std::vector<double> d_likelihood;  // in the logarithms of the likelihood's parameters
};

class PredictiveObjective {
 public:
  // `origin`: L. All arguments but settings outlive the object.
  PredictiveObjective(const ScoredRows& rows, const InducingFactor& prior, const Eigen::MatrixXd& origin,
                      double kl_weight, const RunContext& context, Index chunk_rows = 1024);

  // The score at a lower triangle with positive diagonal; the value is -Inf where a number overflows.
  PredictiveScore evaluate(const Eigen::MatrixXd& relative, const Likelihood& likelihood,
                           const RunContext& context) const;

  // F at G.
  Eigen::MatrixXd factor(const Eigen::MatrixXd& relative) const;

 private:
  template <class Body>
  void over_chunks(const RunContext& context, const Body& body) const;

  const ScoredRows& rows_;
  const Eigen::MatrixXd& origin_;
  double kl_weight_;
  RowFeatures features_;
};

}  // namespace neargp
