// The objective of some rows on inducing points, at a posterior of the field there, and its gradient in all that it
// depends on.
//
// The features are A, below the columns of the trend, which are features with a flat prior. The posterior is
// q(w) = N(m, S). The linear predictor of row i is Gaussian with
//
//   mean mu_i = offset_i + A_i'm,   variance s_i = d_i + A_i'S A_i.
//
// If a batch contains b of n rows, its part of the objective is n/b times a sum over these rows. The summand is the
// expected log density, which gives the evidence lower bound, or the predictive score:
//
//   E log p(y_i | eta_i)     or     log E p(y_i | eta_i).
//
// The method of the predictive score is PPGPR (Jankowiak, Pleiss and Gardner 2020, eq. 8).
//
// Let g and -W/2 be the derivatives of the score in mu and s. Then the derivatives of the objective are
//
//   dJ/dm = A g,   dJ/dS = -A W A'/2,   dJ/dA = m g' + (I - S) A W,   dJ/dk_ii = -W_i/2.
//
// For the expected log density, W is the curvature of the log density. For the predictive score, W takes both signs.
#pragma once

#include <memory>
#include <vector>

#include "likelihoods/latent_response.h"
#include "variational/collapsed_bound.h"

namespace neargp {

// Some rows. `weight`: n/b. `moves`: whether the derivatives in the coordinates are needed.
struct RowBatch {
  std::vector<double> coords;  // row-major
  LatentResponse response;
  double weight = 1.0;
  bool moves = false;
};

RowBatch take_batch(Points coords, const LatentResponse& response, const std::vector<int>& rows);

// The mean and a triangular root L of q(w). With `of_precision`, S = (L L')^-1, else S = L L'. The columns of the trend
// come first. L contains zeros above the diagonal.
struct RootedPosterior {
  Eigen::VectorXd mean;
  Eigen::MatrixXd lower;
  bool of_precision = false;

  // half_transformed(A)' half_transformed(A) = A'S A, and completed() of it is S A.
  Eigen::MatrixXd half_transformed(const Eigen::MatrixXd& columns) const;
  Eigen::MatrixXd completed(const Eigen::MatrixXd& half) const;
};

// KL[q(w) // N(0, I)] of the field at the inducing points, with the first `trend` columns integrated out.
double divergence_from_prior(const RootedPosterior& q, Index trend);

enum class RowScore { expected, predictive };

// The objective is the score minus kl_weight times the divergence from the prior. `kind` matters for Gaussian responses
// with the expected score. Their tight lower bound uses the terms t_i = kl_weight log(1 + W_i d_i / kl_weight) in place
// of W_i d_i (collapsed_bound.h). All other responses use the standard lower bound.
struct BatchObjective {
  RowScore score = RowScore::expected;
  BoundKind kind = BoundKind::tight;
  double kl_weight = 1.0;
};

// The moments and derivatives of rows at q. mean: about the offset. variance: A_i'S A_i. slope, curvature: g and W.
struct RowMoments {
  Eigen::VectorXd mean, variance, unexplained, slope, curvature;
  double score = 0.0;  // the sum over rows, minus half of the sum of t_i
  std::vector<double> d_likelihood;
  std::vector<Eigen::MatrixXd> half, weighted;  // by piece: half_transformed(A) and S A
};

// The gradient of the score times n/b.
struct BatchGradient {
  double score = 0.0;
  InducingGradient covariance;
  std::vector<double> likelihood;  // in the logarithms of the parameters
  Eigen::VectorXd mean;            // in m and
  Eigen::MatrixXd root;            // in the lower triangle of a root of S; empty unless it was asked for
  Eigen::MatrixXd coords;          // in the coordinates of rows that move, a row for each
};

class BatchRows {
 public:
  // Everything but `objective` outlives the object.
  BatchRows(const InducingFactor& factor, const RowBatch& batch, const Likelihood& likelihood,
            const BatchObjective& objective, const RunContext& context);

  Index trend() const { return trend_; }
  Index size() const { return size_; }  // columns of the trend and inducing points
  bool gaussian() const { return gaussian_; }

  // The sums over rows of A_i diag(w_i) A_i', lower triangle, and of A_i h_i.
  struct Sums {
    Eigen::MatrixXd square;
    Eigen::VectorXd linear;
    void add(const Sums& other);
  };
  Sums sums(const Eigen::VectorXd& square_weights, const Eigen::VectorXd& linear_weights) const;

  RowMoments moments(const RootedPosterior& q) const;
  // The moments at the prior mean. They suffice for a Gaussian response, where g + W mu is the same at any q.
  RowMoments moments_of_prior_mean() const;
  BatchGradient gradient(const RootedPosterior& q, const RowMoments& at, bool in_posterior) const;

 private:
  void score_rows(RowMoments& at) const;
  template <class Body>
  void over_pieces(const Body& body) const;

  const InducingFactor& factor_;
  const RowBatch& batch_;
  const Likelihood& likelihood_;
  const RunContext& context_;
  BatchObjective objective_;
  bool gaussian_, tight_;
  Index trend_, size_;
  std::vector<std::unique_ptr<const CrossBlock>> pieces_;
  std::vector<Eigen::MatrixXd> columns_;  // of the trend and features, by piece
};

}  // namespace neargp
