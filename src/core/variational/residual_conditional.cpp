#include "variational/residual_conditional.h"

#include <Eigen/Cholesky>
#include <algorithm>

#include "linalg/column_products.h"

namespace neargp {

bool ResidualConditional::update(const ResidualRows& given, const ResidualRows& targets, Index target,
                                 const int* neighbors, const double* noise, double target_noise) {
  places_.clear();
  for (int a = 0; a < k_ && neighbors[a] >= 0; ++a) {
    const bool is_given = neighbors[a] < given.size();
    places_.add(is_given ? given : targets, is_given ? neighbors[a] : neighbors[a] - given.size());
  }
  places_.add(targets, target);
  places_.fill(matrix_);
  const int last = count();
  for (int a = 0; a < last; ++a) matrix_(a, a) += noise[neighbors[a]];
  auto among_neighbors = matrix_.topLeftCorner(last, last);
  if (last > 0 && Eigen::LLT<Eigen::Ref<Eigen::MatrixXd>>(among_neighbors).info() != Eigen::Success) return false;
  for (int a = 0; a < last; ++a)
    if (is_rounding(matrix_(a, a) * matrix_(a, a), noise[neighbors[a]])) return false;
  weights_ = matrix_.row(last).head(last).transpose();
  among_neighbors.triangularView<Eigen::Lower>().solveInPlace(weights_);
  variance_ = matrix_(last, last) + target_noise - weights_.squaredNorm();
  among_neighbors.transpose().triangularView<Eigen::Upper>().solveInPlace(weights_);
  return true;
}

// Below this share of the variance of field and noise, rounding has destroyed the digits of a conditional variance.
bool ResidualConditional::is_rounding(double conditional_variance, double noise) const {
  return !(conditional_variance > 1e-14 * (variance_of_field_ + noise));
}

void ResidualConditional::unseen_features(double* column) const {
  const double* const* features = places_.features();
  std::copy_n(features[count()], places_.stride(), column);
  const Eigen::VectorXd taken = -weights_;
  column_kernels().add_combination(features, count(), places_.stride(), taken.data(), column);
}

}  // namespace neargp
