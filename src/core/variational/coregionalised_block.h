// The features of some locations for all outputs: Phi of coregionalised_factor.h, one column for each location.
#pragma once

#include <memory>
#include <vector>

#include "variational/coregionalised_factor.h"
#include "variational/cross_block.h"

namespace neargp {

class CoregionalisedBlock {
 public:
  // `derivatives`: whether adjoint() is to be called.
  CoregionalisedBlock(const CoregionalisedFactor& factor, Points places, bool derivatives,
                      const ProductEngine& engine = product_engine());

  const Eigen::MatrixXd& features() const { return features_; }
  // The share of a structure's variance that the inducing points leave unexplained.
  const Eigen::VectorXd& unexplained_share(int structure) const {
    return blocks_[std::size_t(structure)]->unexplained();
  }
  // The covariance of the fields of outputs p and q at each location, given the fields at the inducing points.
  Eigen::VectorXd unexplained(int p, int q) const;

  // Adds the derivatives of an objective through the correlations with the locations, given its derivatives in the
  // features. The caller computes the derivatives in the loadings, and InducingFactor::adjoint() those through L_c.
  void adjoint(const Eigen::MatrixXd& features_bar, InducingGradient& gradient) const;

 private:
  const CoregionalisedFactor& factor_;
  std::vector<std::unique_ptr<const CrossBlock>> blocks_;  // by structure
  Eigen::MatrixXd features_;
};

}  // namespace neargp
