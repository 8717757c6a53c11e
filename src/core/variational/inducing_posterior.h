// The posterior N(m, S) of the whitened field at inducing points, and of the coefficients of a trend. Each row is a
// pseudo-observation of precision W_i and natural mean h_i. With B = I + A W A', S = B^-1. The means (m, beta) solve
//
//   [B, A W X; X'W A', X'W X] [m; beta] = [A h; X'h].
//
// The last columns E of X may be those of effects. Their coefficients u ~ N(0, I) share a joint posterior with the
// field: effects are features that leave nothing unexplained. In this case I is added to the block of effects in X'W X.
// Let C be the Schur complement of this block, with the field eliminated. With T = B^-1 A W E,
//
//   Cov(u) = C^-1,   Cov(w) = S = B^-1 + T C^-1 T',   Cov(w, u) = -T C^-1.
#pragma once

#include <functional>

#include "variational/collapsed_bound.h"
#include "variational/row_features.h"

namespace neargp {

struct InducingPosterior {
  Eigen::MatrixXd gram;     // A W A', lower triangle
  Eigen::MatrixXd factor;   // lower triangle with B = factor factor'
  Eigen::MatrixXd weights;  // B^-1 A [h, W X]: m and beta's part in it are (1, -beta) of it
  Eigen::VectorXd mean, beta;
  Eigen::MatrixXd beta_covariance;  // (X'W X - X'W A'B^-1 A W X)^-1
  Eigen::MatrixXd effects_root;     // upper triangle R with R R' = C^-1; empty without effects

  Eigen::Index effects() const { return effects_root.rows(); }
  Eigen::MatrixXd covariance() const;   // S
  Eigen::MatrixXd shared_root() const;  // T R
  double effects_divergence() const;    // the divergence from the prior, minus divergence() of the field alone
  // The solution (m, beta), one above the other, for right-hand sides [r; t] in place of [A h; X'h].
  Eigen::VectorXd solution(const Eigen::VectorXd& right) const;
};

// The sums over rows that determine the posterior.
struct RegressionMoments {
  Eigen::MatrixXd gram;     // A W A', lower triangle
  Eigen::MatrixXd cross;    // A [h, W X]
  Eigen::MatrixXd columns;  // X'[h, W X]

  void add(const RegressionMoments& other);
};

// The last of the design's columns are `effects`.
BoundFailure solve_regression(RegressionMoments moments, InducingPosterior& posterior, int effects = 0);

// KL[N(m, S) // N(0, I)], S = (factor factor')^-1.
double divergence(const Eigen::VectorXd& mean, const Eigen::MatrixXd& covariance, const Eigen::MatrixXd& factor);

// Rows with their features under one covariance.
class InducingRegression {
 public:
  // `design`: n x coefficients, row-major, the last of which are `effects`. All but numbers outlive the object.
  InducingRegression(const InducingFactor& factor, Points coords, const double* design, int coefficients,
                     Index chunk_rows, const RunContext& context, int effects = 0);

  Index n() const { return coords_.n; }
  Index inducing() const { return inducing_; }
  // The d_i, set to 0 where rounding makes them negative.
  const Eigen::VectorXd& unexplained() const { return unexplained_; }

  RegressionMoments moments(const Eigen::VectorXd& precision, const Eigen::VectorXd& natural) const;
  BoundFailure solve(const Eigen::VectorXd& precision, const Eigen::VectorXd& natural,
                     InducingPosterior& posterior) const {
    return solve_regression(moments(precision, natural), posterior, effects_);
  }

  // Adds A_i'm to `mean`, and sets `variance` to A_i'B^-1 A_i.
  void add_moments(const InducingPosterior& posterior, Eigen::VectorXd& mean, Eigen::VectorXd& variance) const;
  // The part of the effects in the variance of the linear predictor: the variance of (E_i - A_i'T) u.
  Eigen::VectorXd effects_variance(const InducingPosterior& posterior) const;
  // A row E_i R for each of some rows.
  Eigen::MatrixXd effects_features(const InducingPosterior& posterior, Index first, Index n) const;

  // Linear predictors by `coefficients` of the features above those of the trend, a column for each field.
  Eigen::MatrixXd linear_predictors(const Eigen::MatrixXd& coefficients) const;
  // The sum over rows of [A_i; x_i] v_i, v a function of the linear predictors [A_i; x_i]'coefficients, a row for each.
  using RowMap = std::function<Eigen::MatrixXd(Index first, const Eigen::MatrixXd& predictors)>;
  Eigen::MatrixXd sum_mapped(const Eigen::MatrixXd& coefficients, const RowMap& map) const;

 private:
  template <class Body>
  void over_chunks(const Body& body) const;
  Eigen::MatrixXd design(Index first, Index n) const;
  // Linear predictors of a chunk of rows with the design x.
  Eigen::MatrixXd predictors(const Eigen::MatrixXd& features, const Eigen::MatrixXd& x,
                             const Eigen::MatrixXd& coefficients) const;

  Points coords_;
  const double* design_;
  int coefficients_, effects_;
  Index inducing_;
  Index chunk_rows_;
  const RunContext& context_;
  RowFeatures features_;
  Eigen::VectorXd unexplained_;
};

}  // namespace neargp
