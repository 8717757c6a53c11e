#include "variational/coregionalised_block.h"

namespace neargp {

using Eigen::MatrixXd;
using Eigen::VectorXd;

CoregionalisedBlock::CoregionalisedBlock(const CoregionalisedFactor& factor, Points places, bool derivatives,
                                         const ProductEngine& engine)
    : factor_(factor), features_(factor.place_features(), places.n) {
  const Index m = factor.points();
  for (int c = 0; c < factor.structures(); ++c) {
    blocks_.push_back(std::make_unique<const CrossBlock>(factor.structure(c), places, derivatives, engine));
    features_.middleRows(c * m, m) = blocks_.back()->features();
  }
}

VectorXd CoregionalisedBlock::unexplained(int p, int q) const {
  VectorXd sum = VectorXd::Zero(features_.cols());
  for (int c = 0; c < factor_.structures(); ++c) sum += factor_.coregionalisation(c, p, q) * unexplained_share(c);
  return sum;
}

void CoregionalisedBlock::adjoint(const MatrixXd& features_bar, InducingGradient& gradient) const {
  const Index m = factor_.points();
  const VectorXd no_variance = VectorXd::Zero(features_bar.cols());
  for (int c = 0; c < factor_.structures(); ++c) {
    MatrixXd own = features_bar.middleRows(c * m, m);
    blocks_[std::size_t(c)]->adjoint(own, no_variance, gradient);
  }
}

}  // namespace neargp
