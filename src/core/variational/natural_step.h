// One step of stochastic variational inference on inducing points: q moves by a natural gradient on some rows, and gives
// the gradient of their objective in everything else.
//
// With features A (and, above them, the trend's columns, which are features of a flat prior) q(w) = N(m, S) is kept as
// Theta = S^-1 and theta = S^-1 m. For b of n rows, of slopes g = E d log p and curvatures W = -E d2 log p (not below zero)
// at their means mu about the offset,
//
//   Theta <- (1 - rho) Theta + rho [ P + n/b A W A' ],   theta <- (1 - rho) theta + rho n/b A (g + W mu),
//
// P the prior's precision: unbiased, since it is linear in the rows' average, and positive definite for rho in (0, 1]
// (Hensman et al. 2013; Khan and Lin 2017). A gaussian response has g + W mu = W (y - offset), whatever q is.
#pragma once

#include <memory>
#include <vector>

#include "likelihoods/latent_response.h"
#include "variational/collapsed_bound.h"

namespace neargp {

struct NaturalPosterior {
  Eigen::MatrixXd precision;  // Theta, lower triangle; trend columns first
  Eigen::VectorXd natural;    // theta
};

// Some rows. `weight`: n/b.
struct RowBatch {
  std::vector<double> coords;  // row-major
  LatentResponse response;
  double weight = 1.0;
};

RowBatch take_batch(Points coords, const LatentResponse& response, const std::vector<int>& rows);

// The gradient of n/b sum E log p in all but q. A gaussian response may have the tight bound's terms, see
// collapsed_bound.h; `expected` is then the sum of E log p less half of the t_i.
struct BatchGradient {
  double expected = 0.0;
  InducingGradient covariance;
  std::vector<double> likelihood;  // in the logarithms of the parameters
};

class NaturalStep {
 public:
  // Everything outlives the object. `kind` is for gaussian responses: the others have the standard bound.
  NaturalStep(const InducingFactor& factor, const RowBatch& batch, const Likelihood& likelihood, BoundKind kind,
              const RunContext& context);

  // q if all rows were like those of the batch, given the precisions and natural means of their pseudo-observations
  // (family_bound.h).
  NaturalPosterior posterior(const Eigen::VectorXd& precision, const Eigen::VectorXd& natural) const;
  // q after a step of that size. The Theta of an argument must be positive definite: an Error tells where it is not.
  NaturalPosterior moved(const NaturalPosterior& from, double rate) const;
  BatchGradient gradient(const NaturalPosterior& at) const;

 private:
  struct State;  // what rows say at q

  State state_at(const NaturalPosterior& q) const;
  State state_of_prior_mean() const;
  template <class Body>
  void over_pieces(const Body& body) const;

  const InducingFactor& factor_;
  const RowBatch& batch_;
  const Likelihood& likelihood_;
  const RunContext& context_;
  bool gaussian_, tight_;
  Index trend_, size_;  // columns of the trend, and these with the inducing points
  std::vector<std::unique_ptr<const CrossBlock>> pieces_;
  std::vector<Eigen::MatrixXd> columns_;  // of the trend and features, by piece
};

// KL[q(w) // N(0, I)] of the field at inducing points, `trend` columns before them integrated out.
double divergence_from_prior(const NaturalPosterior& q, Index trend);

}  // namespace neargp
