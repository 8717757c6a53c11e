// The posterior of nodes that swsgp() trains, q(u) = N(m, S), of Tran, Milios, Michiardi and Filippone (2021, section
// 2.1). Let S = R R', where the row of node j is
//
//   R_j = s_j^1/2 (r_j1, .., r_j,j-1, 1, 0, ..).
//
// Without r, S = diag(s). Since r is free of units, a step of Adam in r means the same at all nodes.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "base/types.h"

namespace neargp {

class NodePosterior {
 public:
  // moments: nodes x 2, m and s. root: nodes x nodes, row j the r of node j and zeros, or empty. Both outlive the
  // object.
  NodePosterior(const std::vector<double>& moments, const std::vector<double>& root)
      : moments_(moments), root_(root), nodes_(Index(moments.size() / 2)) {}

  bool is_diagonal() const { return root_.empty(); }

  // Mean and covariance matrix of some nodes.
  Eigen::VectorXd mean(const std::vector<int>& of) const;
  Eigen::MatrixXd covariance(const std::vector<int>& of) const;

  // The rows of R of some nodes, those of columns first .. first + columns - 1: columns down.
  Eigen::MatrixXd root_rows(const std::vector<int>& of, Index first, Index columns) const;

 private:
  const std::vector<double>& moments_;
  const std::vector<double>& root_;
  Index nodes_;
};

}  // namespace neargp
