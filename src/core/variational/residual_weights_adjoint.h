// The gradient of an objective of the weights b_i and the conditional variances D_i of whitened rows
// (residual_conditional.h), and of features. It contains the derivatives in the parameters of the covariance, in the
// nugget and in the positions of the inducing points.
//
// Let bbar and q be the derivatives in b_i and D_i, where b = R_NN^-1 r_N and D = r - r_N'b. The derivatives in the
// covariance matrix of the residuals of (N, i) are -(g b' + b g') / 2. Here b stacks b_i and -1, and g stacks R_NN^-1
// bbar - q b_i and q.
//
// The features of these rows enter in two ways: through rho = k - A'A, and through v = A_i - A_N b_i = -(A_N, A_i) b.
// Let p be the derivatives in A_i - A_N b_i. The derivatives in the features are
//
//   u b' - v g',   u = (A_N, A_i) g - p,   v = D_i^(1/2) a~_i.
//
// A first pass over the rows computes g and u, and the derivatives through k and the noise. A second pass gathers for
// each row the derivatives in its features, from all rows that it is a neighbour of.
#pragma once

#include "variational/neighbor_users.h"
#include "variational/residual_covariance.h"
#include "variational/whitened_rows.h"

namespace neargp {

class ResidualWeightsAdjoint {
 public:
  // `whitened`: with their factors. `noise`: variances. All outlive the object.
  ResidualWeightsAdjoint(const ResidualRows& rows, const Eigen::VectorXd& noise, const NeighborTable& neighbors,
                         const WhitenedRows& whitened);

  // Puts the neighbours of a row, and then the row, into `places`. Returns the number of neighbours.
  int gather(Index i, ResidualCovariance& places) const;

  // The first pass for row i, given `places` from gather(). The leading numbers of covariance_bars().col(i) must
  // contain bbar. `p`: null where it is zero. Threads may add different rows at the same time.
  void add_row(Index i, ResidualCovariance& places, double q, const double* p, InducingGradient& gradient);

  auto covariance_bars(Index i) { return covariance_bars_.col(i); }

  // The second pass, after all rows were added. `feature_bars`: further derivatives in the features, a column for each
  // row, or null.
  void add_features(const Eigen::MatrixXd* feature_bars, InducingGradient& gradient, const RunContext& context) const;

 private:
  struct PriorSums;
  void add_features(Index first, Index last, const Eigen::MatrixXd* feature_bars, PriorSums& sum) const;

  const ResidualRows& rows_;
  const Eigen::VectorXd& noise_;
  const NeighborTable& neighbors_;
  const WhitenedRows& whitened_;
  Eigen::MatrixXd feature_bars_;     // u, a column for each row
  Eigen::MatrixXd covariance_bars_;  // g, likewise
  NeighborUsers users_;
};

}  // namespace neargp
