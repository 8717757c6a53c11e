// The share of some nodes, the own ones, and of the data at them in an ELBO whose posterior is found in parts. Each
// part q(u) = N(m, A^-1) was fitted with other nodes around the own ones. The fitted set contains all nodes that one of
// them is conditioned on, so that its prior is the product of its conditionals. A therefore lacks only the data
// elsewhere, and the posterior of the own nodes is nearly that given all data. The share in the ELBO of
// evidence_bound.h is the sum of L_i over own data i and of P_j over own nodes j.
//
//   L_i = E log p(y_i | eta_i) + 1/2 W_i s_i.
//   P_j = -1/2 [(a_j'm)^2 / f_j + log f_j + log pivot_j].
//
// Here pivot_j is that of A, 1 / Var(u_j | nodes before j, data). The shares of disjoint sets of all nodes add up to
// the ELBO. In (a_j'm) each mean is taken from the part where its node is own. The ELBO is stationary in the mean, so
// that errors of m count by their squares. In a sum with several values for one node they would not.
//
// The trend is no part of these posteriors: the offsets of their data contain it. Let g be the slopes E d log p. At the
// fields that belong to the coefficients of the trend C'g = Q m. The slope of the ELBO in the coefficients is therefore
//
//   X'g = D'g + H'Q m,   D = X - C H,
//
// for any H. The H that is used is A^-1 C'WX, the response of the field to the trend (trend_system.h). An error e of m
// then moves the slope by (H'Q - D'WC) e = 0, whether a column of X is smooth or rough. X'g itself would take a small
// shift of all means for a shift of the trend.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "latent/sparse_posterior.h"

namespace neargp {

struct OwnNodes {
  std::vector<char> is_own;  // by node
  std::vector<Index> data;   // those at own nodes
};

// The nodes with these numbers of the caller's.
OwnNodes own_nodes(const LatentModel& model, const std::vector<int>& numbers);

struct BoundShare {
  double value = 0.0;
  std::vector<double> covariance, likelihood;  // gradient, empty unless it was asked for
  Eigen::VectorXd score;                       // slope in the coefficients of the trend
  Eigen::MatrixXd information;                 // D'WD + H'QH of trend_system.h
};

// The response H of the field to the trend, nodes x coefficients. `response`: the data with the trend's design.
Eigen::MatrixXd field_response_to(const SparsePosterior& posterior, const LatentModel& model,
                                  const LatentResponse& response, const RunContext& context);

// `mean` and `field_response`: m and H, by node. For a posterior with an incomplete factor and a node at every datum,
// without a low-rank part.
BoundShare bound_share(const SparsePosterior& posterior, const LatentModel& model, const LatentResponse& response,
                       const OwnNodes& own, const std::vector<double>& mean, const Eigen::MatrixXd& field_response,
                       bool derivatives, const RunContext& context);

}  // namespace neargp
