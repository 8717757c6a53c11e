// The prior of a field f with a low-rank part at the nodes of a latent model, the "VIF" of Gyger, Furrer and Sigrist
// (2025). The field is a sum of two independent parts:
//
//   f = A'w + r,   w ~ N(0, I),   r ~ N(0, Lam^-1).
//   Lam = sum_j a_j a_j'/f_j,   a_j = e_j - sum over l in N(j) of b_jl e_l.
//
// A contains the features of the nodes (residual_rows.h). The weights b_j and the conditional variance f_j are those of
// the residual field at node j given the nodes N(j) before it. The residual field at each of these nodes includes the
// jitter as its noise. For a vector x of nodes let y~_j = a_j'x / f_j^(1/2), and a~_j = A a_j / f_j^(1/2) likewise.
// Then
//
//   E = I + sum_j a~_j a~_j',   E[w | f = x] = E^-1 sum_j a~_j y~_j =: w(x).
//   K^-1 x = Lam (x - A'w(x)),   x'K^-1 x = r'Lam r + w(x)'w(x),   log|K^-1| = log|Lam| - log|E|.
//
// K = A'A + Lam^-1 is the covariance matrix of f, and r = x - A'w(x). The forms in r and w keep the digits that Lam x
// would lose.
#pragma once

#include <memory>
#include <vector>

#include "geometry/neighbors.h"
#include "variational/whitened_rows.h"

namespace neargp {

class LowRankPrior {
 public:
  // Nodes and table outlive the object. `jitter`: of the covariance matrix of the inducing points, relative.
  LowRankPrior(Points nodes, Points inducing, double jitter, const NeighborTable& neighbors);
  ~LowRankPrior();

  // Takes a covariance with the nodes' jitter as its nugget. Returns the first node whose neighbours' covariance matrix
  // is singular, or -1. Throws an Error if the covariance matrix of the inducing points is singular.
  Index update(const Covariance& covariance, const RunContext& context);

  // The functions below return results of the last update.
  Index size() const { return Index(inducing_.size()) / nodes_.dim; }  // inducing points
  const double* weights(Index node) const;                             // b
  const Eigen::VectorXd& variance() const;                             // f
  const ResidualRows& rows() const;
  auto features() const { return rows().features(0, nodes_.n); }  // A
  const Eigen::VectorXd& noise() const;                           // of the nodes

  double log_det_inner() const;  // log|E|

  // Columns x by node in two parts: w(x), a column for each, and x - A'w(x).
  struct Split {
    Eigen::MatrixXd whitened, residual;
  };
  Split split(const Eigen::Ref<const Eigen::MatrixXd>& columns) const;

  // The columns' y~, a column for each node.
  Eigen::MatrixXd whitened_rows_of(const Eigen::Ref<const Eigen::MatrixXd>& columns) const;

  // The gradient in the covariance parameters of an objective with these derivatives in b (nodes x k, row-major), f and
  // A.
  std::vector<double> adjoint(const std::vector<double>& weights_bar, const std::vector<double>& variance_bar,
                              const Eigen::MatrixXd& features_bar, const RunContext& context) const;

 private:
  struct State;

  const Points nodes_;
  const std::vector<double> inducing_;  // row-major
  const double jitter_;
  const NeighborTable& neighbors_;
  std::unique_ptr<State> state_;
};

}  // namespace neargp
