// The covariance matrix of a low-rank part and Vecchia's approximation of the rest, with dense matrices.
#pragma once

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <cmath>

#include "base/constants.h"
#include "dense_reference.h"

namespace reference {

inline MatrixXd entries(const MatrixXd& matrix, const std::vector<int>& rows, const std::vector<int>& columns) {
  MatrixXd result(rows.size(), columns.size());
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (std::size_t j = 0; j < columns.size(); ++j)
      result(neargp::Index(i), neargp::Index(j)) = matrix(rows[i], columns[j]);
  return result;
}

// The data contain noise. Each row's neighbours come before it in some ordering.
class LowRankVecchia {
 public:
  LowRankVecchia(const neargp::LocalData& data, neargp::Points inducing, const neargp::NeighborTable& neighbors,
                 const neargp::Covariance& model, double jitter)
      : values_(values_of(data)) {
    const neargp::Index n = data.coords.n;
    MatrixXd prior = cross_covariance(model, inducing, inducing);
    prior.diagonal().array() += jitter * prior(0, 0);
    const MatrixXd cross = cross_covariance(model, inducing, data.coords);
    const MatrixXd low_rank = cross.transpose() * prior.ldlt().solve(cross);
    const MatrixXd rest = noisy_covariance(model, data) - low_rank;
    MatrixXd whitening = MatrixXd::Identity(n, n);
    VectorXd variance(n);
    for (neargp::Index i = 0; i < n; ++i) {
      const std::vector<int> set = conditioning_set(neighbors, i);
      variance[i] = rest(i, i);
      if (set.empty()) continue;
      const VectorXd with_target = entries(rest, set, {int(i)});
      const VectorXd weights = entries(rest, set, set).ldlt().solve(with_target);
      for (std::size_t a = 0; a < set.size(); ++a) whitening(i, set[a]) = -weights[neargp::Index(a)];
      variance[i] -= with_target.dot(weights);
    }
    const MatrixXd inverse = whitening.inverse();
    covariance_ = low_rank + inverse * variance.asDiagonal() * inverse.transpose();
    factor_.compute(covariance_);
  }

  const MatrixXd& covariance() const { return covariance_; }
  MatrixXd beta_covariance() const { return (design().transpose() * factor_.solve(design())).inverse(); }
  VectorXd beta() const { return beta_covariance() * (design().transpose() * factor_.solve(values_.col(0))); }
  double log_likelihood() const {
    const VectorXd e = values_.col(0) - design() * beta();
    return -0.5 *
           (double(e.size()) * neargp::log_two_pi + factor_.vectorD().array().log().sum() + e.dot(factor_.solve(e)));
  }

 private:
  MatrixXd design() const { return values_.rightCols(values_.cols() - 1); }

  MatrixXd values_, covariance_;
  Eigen::LDLT<MatrixXd> factor_;
};

}  // namespace reference
