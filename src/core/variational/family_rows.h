// The interface of rows to the search for a posterior of family_bound.h: sums over them, and some numbers of each. The
// rows are in this process, or divided among other processes.
#pragma once

#include <vector>

#include "likelihoods/latent_response.h"
#include "variational/inducing_posterior.h"

namespace neargp {

// Expectations at eta_i ~ N(linear_predictor_i, v d_i + variance_i), and what effects add to that variance.
struct FamilyExpectations {
  double sum = 0.0;                            // of E log p
  std::vector<double> d_likelihood;            // of that, in the logarithms of the likelihood's parameters
  Eigen::VectorXd linear_predictor, variance;  // variance: A_i'B^-1 A_i
  Eigen::VectorXd slope, curvature;            // E d log p, -E d2 log p
};

class FamilyRows {
 public:
  virtual ~FamilyRows() = default;
  virtual const Eigen::VectorXd& unexplained() const = 0;  // d_i
  // Moments of pseudo-observations.
  virtual RegressionMoments moments(const Eigen::VectorXd& precision, const Eigen::VectorXd& natural) const = 0;
  // v: the share of d_i that counts.
  virtual FamilyExpectations expect(const InducingPosterior& field, double v) const = 0;
  // The rows' part in the gradient at an optimum, where A E d log p = m.
  virtual InducingGradient gradient(const InducingPosterior& field, double v, const Eigen::VectorXd& slope,
                                    const Eigen::VectorXd& curvature) const = 0;
};

// Rows that are all in this process. The last columns of the design are those of `effects`. Arguments outlive the
// object.
class FamilyRowsHere : public FamilyRows {
 public:
  FamilyRowsHere(const LatentResponse& response, Points coords, const InducingFactor& factor,
                 const Likelihood& likelihood, int effects, Index chunk_rows, const RunContext& context);

  const Eigen::VectorXd& unexplained() const override { return regression_.unexplained(); }
  RegressionMoments moments(const Eigen::VectorXd& precision, const Eigen::VectorXd& natural) const override {
    return regression_.moments(precision, natural);
  }
  FamilyExpectations expect(const InducingPosterior& field, double v) const override;
  InducingGradient gradient(const InducingPosterior& field, double v, const Eigen::VectorXd& slope,
                            const Eigen::VectorXd& curvature) const override;

 private:
  const LatentResponse& response_;
  Points coords_;
  const InducingFactor& factor_;
  const Likelihood& likelihood_;
  Index chunk_rows_;
  const RunContext& context_;
  InducingRegression regression_;
};

}  // namespace neargp
