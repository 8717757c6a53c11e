// Latent fields of one structure in axes in which they are independent given the data.
//
// Assume that all outputs are known at all locations, and let a_p be the loadings of output p. Then
// Gamma_p = Gamma / nugget_p, and B = I + kron(M, Gamma) with M = sum_p a_p a_p' / nugget_p. Let U be the eigenvectors
// of M. The loadings A U give the same model, but its B is block-diagonal with one block for each field. Derivatives in
// A are those in A U times U'.
#pragma once

#include <Eigen/Core>

#include "covariance/covariance.h"
#include "variational/collapsed_bound.h"

namespace neargp {

class FieldRotation {
 public:
  // `covariance`: for multiple outputs and one structure.
  explicit FieldRotation(const Covariance& covariance);

  Covariance rotated() const;
  // Turns a result for the rotated loadings into the result for the given loadings. The factor of B is left empty,
  // since B is not block-diagonal with the given loadings.
  void turn_back(CollapsedBound& bound) const;

 private:
  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

  Covariance covariance_;
  RowMajor loadings_;
  Eigen::MatrixXd axes_;  // U
};

}  // namespace neargp
