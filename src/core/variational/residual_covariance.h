// Covariances of the residual field (residual_rows.h) at a few locations. Also turns derivatives in these covariances
// into derivatives in the parameters of the covariance.
#pragma once

#include <vector>

#include "covariance/kernels.h"
#include "variational/residual_rows.h"

namespace neargp {

// Scratch of one thread.
class ResidualCovariance {
 public:
  // `most`: the largest number of locations.
  ResidualCovariance(const PreparedCovariance& covariance, int most);

  void clear() { count_ = 0; }
  void add(const ResidualRows& rows, Index row);
  int count() const { return count_; }
  Index stride() const { return stride_; }  // of columns of features
  const double* const* features() const { return features_.data(); }

  // Writes rho among the locations into the lower triangle of a count x count matrix.
  void fill(Eigen::MatrixXd& matrix);
  // Writes rho between each of the locations and another row.
  void fill_column(const ResidualRows& rows, Index row, Eigen::VectorXd& column);

  // Adds the derivatives of <W, K>, where W = -(left right' + right left') / 2 and K is the matrix of k among the
  // locations.
  void contract(const double* left, const double* right, std::vector<double>& parameters);

 private:
  struct Component {
    Eigen::MatrixXd coords;  // a column for each coordinate
    std::vector<const double*> points;
  };

  ColumnPlaces from(std::size_t c, Index first, const double* x) const;
  void contract_component(std::size_t c, const double* left, const double* right, std::vector<double>& parameters);

  const PreparedCovariance& covariance_;
  int count_ = 0;
  Index stride_ = 0;
  std::vector<const double*> features_;
  std::vector<Component> components_;
  Eigen::VectorXd value_, slope_, shape_;
  Eigen::ArrayXd weight_, difference_;
};

}  // namespace neargp
