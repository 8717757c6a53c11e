// The residual field, which inducing points leave unexplained, for many rows. Its covariance is the covariance of the
// field given its values at the inducing points:
//
//   rho(x, y) = k(x, y) - a(x)'a(y),   a(x) = L^-1 k_z(x).
#pragma once

#include <vector>

#include "base/run_context.h"
#include "linalg/product_engine.h"
#include "variational/inducing_factor.h"

namespace neargp {

// The features a of rows, and the scaled coordinates of the rows. Each row's features are a column that kernels read in
// packs (linalg/column_products.h). With eigen_engine(), the numbers of a row depend on that row alone.
class ResidualRows {
 public:
  // Factor and coordinates outlive the object. Throws a MemoryError if the features of all rows do not fit into memory.
  ResidualRows(const InducingFactor& factor, Points coords, const ProductEngine& engine, const RunContext& context);

  Index size() const { return coords_.n; }
  Points coords() const { return coords_; }
  const PreparedCovariance& covariance() const { return factor_.points().covariance(); }
  const InducingFactor& factor() const { return factor_; }

  // Numbers in a column of features: those of the inducing points, then zeros.
  Index stride() const { return features_.rows(); }
  const double* features(Index row) const { return features_.col(row).data(); }
  // Without the zeros.
  auto features(Index first, Index count) const { return features_.block(0, first, factor_.points().size(), count); }
  // rho(x, x)
  double unexplained(Index row) const { return unexplained_[row]; }
  const Eigen::VectorXd& unexplained() const { return unexplained_; }
  const double* scaled(std::size_t component, Index row) const { return scaled_[component].data() + row * coords_.dim; }

 private:
  const InducingFactor& factor_;
  Points coords_;
  Eigen::MatrixXd features_;
  Eigen::VectorXd unexplained_;
  std::vector<std::vector<double>> scaled_;  // by component, row-major
};

}  // namespace neargp
