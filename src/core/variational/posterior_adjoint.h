// The common adjoint of lower bounds whose q(w) = N(m, S) is the best distribution of the whitened field at inducing
// points, given pseudo-observations of precisions W. Here S = B^-1 and B = I + A W A'. The derivatives are
//
//   dF/dA = m alpha' + (v I - S) A W,   dF/dk_ii = -v W_i / 2.
//
// The share v of a row's unexplained variance is 1 unless the lower bound uses another one. No features are needed:
// with C = L^-T (v I - S) L^-1,
//
//   dF/dK_zx = L^-T dF/dA = L^-T m alpha' + C K_zx W.
//
// Since A'm = K_xz L^-T m, a row takes one product. For independent fields at the same inducing points, each with its
// own q(w), the derivatives are summed. This takes one product for each field, and the covariances once.
#pragma once

#include <functional>
#include <vector>

#include "variational/inducing_factor.h"

namespace neargp {

class PosteriorAdjoint {
 public:
  // `means`: m, or a column for each alpha; `covariance`: S.
  PosteriorAdjoint(const InducingFactor& factor, const Eigen::MatrixXd& means, const Eigen::MatrixXd& covariance,
                   double unexplained_share = 1.0);
  // The adjoint of several fields: a column of means, a covariance matrix and a share for each.
  PosteriorAdjoint(const InducingFactor& factor, const Eigen::MatrixXd& means, std::vector<Eigen::MatrixXd> covariances,
                   const Eigen::VectorXd& unexplained_shares);

  // Adds the derivatives through the covariances with some rows. `alpha` maps A'm to the alpha of the rows, a column
  // for each of the means. `precision`: a column for each field.
  using Alpha = std::function<Eigen::MatrixXd(const Eigen::MatrixXd& fitted)>;
  void add_rows(Points rows, const Eigen::MatrixXd& precision, const Alpha& alpha, InducingGradient& gradient) const;

 private:
  const InducingFactor& factor_;
  Eigen::VectorXd unexplained_shares_;
  std::vector<Eigen::MatrixXd> inner_;  // C
  Eigen::MatrixXd onto_covariances_;    // L^-T m
};

// Adds the derivatives through the covariances of the inducing points, where A alpha = m. Then G = dF/dA A' = m m' + v
// A W A' - I + S. `gram`: v A W A', lower triangle. For several fields `covariance` and `gram` are the sums.
void add_prior_adjoint(const InducingFactor& factor, const Eigen::MatrixXd& means, const Eigen::MatrixXd& covariance,
                       const Eigen::MatrixXd& gram, InducingGradient& gradient, int fields = 1);

}  // namespace neargp
