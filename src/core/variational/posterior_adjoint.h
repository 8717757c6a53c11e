// The adjoint that bounds share in which q(w) = N(m, S) is the best distribution of the whitened field at inducing
// points given pseudo-observations of precisions W: S = B^-1, B = I + A W A'.
//
//   dF/dA = m alpha' + (v I - S) A W,   dF/dk_ii = -v W_i / 2,
//
// v the share of a row's unexplained variance that counts, 1 unless the bound says otherwise. No features are needed:
// dF/dK_zx = L^-T dF/dA = L^-T m alpha' + C K_zx W, C = L^-T (v I - S) L^-1, and A'm = K_xz L^-T m, so that a row
// takes one product.
#pragma once

#include <functional>

#include "variational/inducing_factor.h"

namespace neargp {

class PosteriorAdjoint {
 public:
  // `means`: m, or a column for each alpha; `covariance`: S.
  PosteriorAdjoint(const InducingFactor& factor, const Eigen::MatrixXd& means, const Eigen::MatrixXd& covariance,
                   double unexplained_share = 1.0);

  // Adds the derivatives through the covariances with some rows. `alpha`: the function of A'm that has a row's alpha,
  // a column for each of the means.
  using Alpha = std::function<Eigen::MatrixXd(const Eigen::MatrixXd& fitted)>;
  void add_rows(Points rows, const Eigen::VectorXd& precision, const Alpha& alpha, InducingGradient& gradient) const;

 private:
  const InducingFactor& factor_;
  double unexplained_share_;
  Eigen::MatrixXd inner_, onto_covariances_;  // C, L^-T m
};

// Adds those through the covariances of the inducing points, where A alpha = m: G = dF/dA A' = m m' + v A W A' - I + S.
// `gram`: v A W A', lower triangle.
void add_prior_adjoint(const InducingFactor& factor, const Eigen::MatrixXd& means, const Eigen::MatrixXd& covariance,
                       const Eigen::MatrixXd& gram, InducingGradient& gradient);

}  // namespace neargp
