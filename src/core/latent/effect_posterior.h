// Random effects of a latent model, the last columns E of its design. The prior of their coefficients u is N(0, I).
// Given precisions W of the pseudo-observations, the posterior of field f and u is N((m, u), A_joint^-1).
//
//   A_joint = [A, C'WE; E'WC, E'WE + I],   A = Q + C'WC.
//
// Let H = A^-1 C'WE, and let S^-1 = I + E'WE - E'WC H be the Schur complement. Then log|A_joint| = log|A| - log|S|. The
// covariance matrix of the field is A^-1 + H S H'. The variance at datum i is s_i + d_i'S d_i with d_i = e_i - H'c_i. H
// is solved for exactly. With any factor of A the derivatives of log|S| in W and Q are therefore those at fixed H.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "latent/posterior_factor.h"
#include "likelihoods/latent_response.h"

namespace neargp {

class EffectPosterior {
 public:
  // Model and response outlive the object; `count` is the number of columns of E.
  EffectPosterior(const LatentModel& model, const LatentResponse& response, int count)
      : model_(model), response_(response), count_(count) {}

  int count() const { return count_; }
  int first() const { return response_.coefficients - count_; }

  // Finds S for these precisions, which `factor` has. False where it is not positive definite.
  bool find(const PosteriorFactor& factor, const std::vector<double>& precision, const RunContext& context);

  double log_det() const { return log_det_; }                             // of S^-1
  const std::vector<double>& variance() const { return variance_; }       // d_i'S d_i by datum
  const Eigen::MatrixXd& taken() const { return taken_; }                 // count x nodes, T'T = H S H'
  const Eigen::MatrixXd& covariance_with_data() const { return cross_; }  // D S, of u with each linear predictor
  double explained(int node, Index datum) const {                         // (H S d_i)_node
    return count_ == 0 ? 0.0 : taken_.col(node).dot(half_.col(datum));
  }

 private:
  const LatentModel& model_;
  const LatentResponse& response_;
  const int count_;
  double log_det_ = 0.0;
  std::vector<double> variance_;
  Eigen::MatrixXd taken_, half_, cross_;  // half_'half_ = D S D'
};

// E - C H by datum, where `response` is H (by node).
Eigen::MatrixXd unseen_design(const LatentModel& model, const Eigen::MatrixXd& design, const Eigen::MatrixXd& response);

}  // namespace neargp
