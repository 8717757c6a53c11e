// Equations of a mean given pseudo-observations, and dense matrices to check their solutions with.
#pragma once

#include <Eigen/LU>

#include "inducing_fixtures.h"
#include "variational/mean_equations.h"

namespace fixtures {

inline neargp::Covariance smooth_covariance() {
  return {{component(neargp::Family::matern, 1.3, {0.4}, {0, 0}, 1.5)}, 0.07, {}};
}

// The field's, without noise.
inline Eigen::MatrixXd dense_matrix(const Data& data, neargp::Covariance covariance) {
  covariance.nugget = 0.0;
  return reference::cross_covariance(covariance, data.cloud.view(), data.cloud.view());
}

// The first of the data's columns is natural, the others are values; precisions differ.
inline neargp::MeanEquations mean_equations(const Data& data) {
  const neargp::Index n = data.cloud.view().n;
  const Eigen::MatrixXd columns =
      Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>(data.values.data(), n,
                                                                                               data.columns);
  const Eigen::VectorXd precision = (0.07 * Eigen::Map<const Eigen::ArrayXd>(data.noise_scale.data(), n)).inverse();
  return {data.cloud.view(), precision, columns.leftCols(1), columns.rightCols(data.columns - 1)};
}

// (I + W K) a = C, and the field K a.
inline void check_solves(const neargp::MeanEquations& equations, const Eigen::MatrixXd& K,
                         const neargp::MeanSolution& found, double tolerance) {
  Eigen::MatrixXd right(equations.coords.n, equations.natural.cols() + equations.values.cols());
  right << equations.natural, equations.precision.asDiagonal() * equations.values;
  const Eigen::MatrixXd left = Eigen::MatrixXd::Identity(K.rows(), K.cols()) + equations.precision.asDiagonal() * K;
  const Eigen::MatrixXd expected = left.partialPivLu().solve(right);
  CHECK((found.solved - expected).norm() < tolerance * expected.norm());
  CHECK((found.field - K * expected).norm() < tolerance * (K * expected).norm());
}

}  // namespace fixtures
