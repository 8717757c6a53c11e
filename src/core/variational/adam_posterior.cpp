#include "variational/adam_posterior.h"

#include "base/error.h"
#include "linalg/products.h"

namespace neargp {

using Eigen::MatrixXd;

namespace {

// Columns of a lower triangle, one after the other.
std::vector<double> packed(const MatrixXd& lower) {
  std::vector<double> entries;
  entries.reserve(std::size_t(lower.rows() * (lower.rows() + 1) / 2));
  for (Index j = 0; j < lower.cols(); ++j)
    entries.insert(entries.end(), &lower(j, j), lower.col(j).data() + lower.rows());
  return entries;
}

void unpack(const std::vector<double>& entries, MatrixXd& lower) {
  const double* from = entries.data();
  for (Index j = 0; j < lower.cols(); ++j) {
    std::copy(from, from + lower.rows() - j, &lower(j, j));
    from += lower.rows() - j;
  }
}

}  // namespace

RootedPosterior with_covariance_root(const RootedPosterior& q) {
  if (!q.of_precision) return q;
  MatrixXd covariance = MatrixXd::Identity(q.lower.rows(), q.lower.cols());
  lower_solve(q.lower, covariance);
  lower_transposed_solve(q.lower, covariance);
  if (!cholesky(covariance)) throw Error("The covariance matrix of the field at the inducing points is singular.");
  return {q.mean, std::move(covariance), false};
}

void subtract_divergence(const RootedPosterior& q, Index trend, double kl_weight, BatchGradient& gradient) {
  const Index m = q.mean.size() - trend;
  gradient.mean.tail(m) -= kl_weight * q.mean.tail(m);
  gradient.root.bottomRows(m) -= kl_weight * q.lower.bottomRows(m);
  gradient.root.diagonal().array() += kl_weight / q.lower.diagonal().array();
}

AdamPosterior::AdamPosterior(RootedPosterior start, Index trend, double kl_weight)
    : q_(std::move(start)), trend_(trend), kl_weight_(kl_weight), mean_adam_(1, int(q_.mean.size())),
      root_adam_(1, int(q_.mean.size() * (q_.mean.size() + 1) / 2)) {}

AdamPosterior::AdamPosterior(AdamPosteriorMemory memory, Index trend, double kl_weight)
    : AdamPosterior(std::move(memory.at), trend, kl_weight) {
  mean_adam_.restore(std::move(memory.mean));
  root_adam_.restore(std::move(memory.root));
}

void AdamPosterior::step(BatchGradient gradient, double rate) {
  subtract_divergence(q_, trend_, kl_weight_, gradient);
  mean_adam_.step(0, q_.mean.data(), gradient.mean.data(), rate);
  std::vector<double> root = packed(q_.lower);
  root_adam_.step(0, root.data(), packed(gradient.root).data(), rate);
  unpack(root, q_.lower);
}

}  // namespace neargp
