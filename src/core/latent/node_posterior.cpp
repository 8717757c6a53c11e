#include "latent/node_posterior.h"

#include <algorithm>
#include <cmath>

#include "linalg/products.h"

namespace neargp {

Eigen::VectorXd NodePosterior::mean(const std::vector<int>& of) const {
  Eigen::VectorXd result(Index(of.size()));
  for (std::size_t a = 0; a < of.size(); ++a) result[Index(a)] = moments_[2 * Index(of[a])];
  return result;
}

Eigen::MatrixXd NodePosterior::covariance(const std::vector<int>& of) const {
  const Index size = Index(of.size());
  if (is_diagonal()) {
    Eigen::MatrixXd result = Eigen::MatrixXd::Zero(size, size);
    for (Index a = 0; a < size; ++a) result(a, a) = moments_[2 * Index(of[a]) + 1];
    return result;
  }
  const Eigen::MatrixXd rows = root_rows(of, 0, *std::max_element(of.begin(), of.end()) + 1);
  Eigen::MatrixXd result(size, size);
  multiply_transposed(rows, rows, result);
  return result;
}

Eigen::MatrixXd NodePosterior::root_rows(const std::vector<int>& of, Index first, Index columns) const {
  Eigen::MatrixXd rows(columns, Index(of.size()));
  for (std::size_t a = 0; a < of.size(); ++a) {
    const Index node = of[a];
    const double scale = std::sqrt(moments_[2 * node + 1]);
    rows.col(Index(a)) = scale * Eigen::Map<const Eigen::VectorXd>(root_.data() + node * nodes_ + first, columns);
    if (first <= node && node < first + columns) rows(node - first, Index(a)) = scale;
  }
  return rows;
}

}  // namespace neargp
