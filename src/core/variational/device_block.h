// The whitened features A' of some rows on a device, one row for each, and sums over chunks of rows for a collapsed
// bound. Features, their adjoints and the sums stay on the device. Only a few numbers for each row are transferred.
#pragma once

#include <deque>

#include "variational/device_matrix.h"
#include "variational/inducing_factor.h"

namespace neargp {

class DeviceBlock {
 public:
  // A block for `rows` rows altogether. The factor outlives the object. Throws an Error if the device is short of
  // memory even for a few of them.
  DeviceBlock(const DenseDevice& device, const InducingFactor& factor, Index rows);

  // The number of rows to take at a time. They fit into the free memory, and interrupts are answered in
  // between.
  Index chunk_rows() const { return chunk_rows_; }

  // Takes other rows. Returns d_i = k_ii - |A_i|^2.
  Eigen::VectorXd compute(Points rows);

  // Adds A W A' and A V, given the diagonal of W and V.
  void add_moments(const Eigen::VectorXd& precision, const Eigen::MatrixXd& weighted);
  Eigen::MatrixXd gram() const { return gram_.download(); }  // lower triangle
  Eigen::MatrixXd cross() const { return cross_.download(); }

  // The posterior N(m, S) that the following are of; `means` may have several columns.
  void set_posterior(const Eigen::MatrixXd& means, const Eigen::MatrixXd& covariance);
  struct Fitted {
    Eigen::MatrixXd mean;    // A'm
    Eigen::VectorXd spread;  // A_i'S A_i
  };
  Fitted fitted();

  // To be called after fitted(), with the diagonals of T and W. No entry of T may be negative. Starts from
  // dF/dA = A T - S A W + m V'. Adds A T A' to traced(), and the derivatives through K_zx to those of add_gradient().
  // The features are lost.
  void add_adjoint(const Eigen::VectorXd& slopes, const Eigen::VectorXd& precision, const Eigen::MatrixXd& weighted);
  Eigen::MatrixXd traced() const { return traced_.download(); }  // lower triangle
  void add_gradient(InducingGradient& gradient) const;

 private:
  // The data of one component: inducing points, and rows with a column of ones, in its metric; the sums of
  // add_adjoint().
  struct Component {
    DeviceMatrix points, rows;
    DeviceMatrix weighted, outer;  // T [X, 1] and [X, 1]'E [X, 1], as in SlopeSums
    PairSums sums;

    explicit Component(const DenseDevice& device) : points(device), rows(device), weighted(device), outer(device) {}
  };

  Index fitting_rows(Index rows) const;
  void contract(std::size_t c);

  const DenseDevice& device_;
  const ProductEngine& products_;
  const InducingFactor& factor_;
  PreparedCovariance covariance_;  // that keeps slopes
  std::deque<Component> components_;
  DeviceMatrix lower_, means_, posterior_;  // L, m, S
  DeviceMatrix features_, bar_;             // A' and its adjoint, or what is made of them
  DeviceMatrix gram_, cross_, traced_;
  DeviceMatrix ones_, numbers_, further_, columns_, row_sums_;  // temporaries of rows, except ones_
  Index chunk_rows_;
};

}  // namespace neargp
