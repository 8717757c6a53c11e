// The share of some nodes, the own ones, and of the data at them in an evidence bound whose posterior is found in
// parts: q(u) = N(m, A^-1) was fitted with other nodes around the own ones, all those before them in the prior's
// ordering among these. The prior of such a set is the product of its conditionals, so that A lacks nothing but the
// data elsewhere, and what it says of the own nodes is nearly what all data say. Of the bound of evidence_bound.h they
// have  sum over own i of [E log p(y_i | eta_i) + 1/2 W_i s_i]
//   - 1/2 sum over own j of [(a_j'm)^2 / f_j + log f_j + log pivot_j],
//
// pivot_j being that of A, 1 / Var(u_j | nodes before j, data). The shares of disjoint sets of all nodes add up to the
// bound. In (a_j'm) stand the means that each node has where it is own: the bound is stationary in the mean, so that
// errors of m count by their squares, which in a sum with several values for one node they would not.
//
// The trend is no part of these posteriors, whose data have it in their offsets. The slope of the bound in its
// coefficients is, since C'g = Q m at the fields that belong to them (g: the slopes E d log p),
//
//   X'g = D'g + H'Q m,   D = X - C H,
//
// for any H. With H = A^-1 C'WX, by which the field answers to the trend (trend_system.h), an error e of m moves this
// by (H'Q - D'WC) e = 0, whether a column of X is smooth or rough; alone, X'g would take a small shift of all means for
// a shift of the trend.
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
