// Latent fields of one structure in axes in which they are independent given the data.
//
// Where all outputs are known at all places, Gamma_p = Gamma / nugget_p and B = I + (sum_p a_p a_p' / nugget_p) (x)
// Gamma, a_p the loadings of output p. With the eigenvectors U of that sum, the loadings A U make the same model, of
// which B has a block for each field and zeros elsewhere. Derivatives in A are those in A U times U'.
#pragma once

#include <Eigen/Core>

#include "covariance/covariance.h"
#include "variational/collapsed_bound.h"

namespace neargp {

class FieldRotation {
 public:
  // `covariance`: of several outputs and one structure.
  explicit FieldRotation(const Covariance& covariance);

  Covariance rotated() const;
  // Turns what was found with the rotated loadings to the given ones. The factor of B, which has no blocks with these,
  // is left out.
  void turn_back(CollapsedBound& bound) const;

 private:
  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

  Covariance covariance_;
  RowMajor loadings_;
  Eigen::MatrixXd axes_;  // U
};

}  // namespace neargp
