// The objective of swsgp() by sets of active nodes (Tran, Milios, Michiardi and Filippone 2021, eqs. 10 to 13). Some
// data see a set A. For b_i = K_AA^-1 k_Ai their linear predictors are
//
//   eta_i ~ N(trend_i + b_i'm_A, k_ii - b_i'k_Ai + b_i'S_AA b_i).
//
// The expected log-likelihoods lose D = KL[N(m_A, S_AA) || N(0, K_AA)] times a weight. Each datum sees its k nearest
// nodes, or all data of a batch share a set (SWSGP-U, section 5 of the supplement).
//
// Let LL' = K_AA, A = L^-1 K_Ax, m = L^-1 m_A and S = L^-1 S_AA L^-T. In these whitened coordinates the objective is
// the ELBO of an inducing-point model. InducingFactor and CrossBlock give its derivatives.
#pragma once

#include <vector>

#include "geometry/neighbors.h"
#include "latent/mean_field_terms.h"
#include "latent/node_posterior.h"
#include "variational/inducing_points.h"

namespace neargp {

struct ActiveSet {
  std::vector<int> nodes;
  Index first, last;  // the data of the batch that see them
};

// The k nearest nodes of each of these data.
std::vector<ActiveSet> own_sets(const NeighborTable& neighbors, const std::vector<int>& data);

// The nearest nodes of all these data, then the second nearest, and so on, until there are `most`.
ActiveSet shared_set(const NeighborTable& neighbors, const std::vector<int>& data, Index most);

// The derivatives of a set's part of the objective.
struct ActiveSetGradient {
  double divergence = 0.0;
  Eigen::VectorXd mean;        // in m_A
  Eigen::MatrixXd covariance;  // in S_AA, symmetric
  Eigen::VectorXd log_scale;   // in log s of the nodes
  InducingGradient prior;      // in the parameters of the covariance and in the positions of the nodes
};

// Computes the moments of the set's data and the expectations of their responses, and writes both into `data`.
// `data_coords`: all data of the model. `rows`: those of the batch. Throws an Error where a matrix is singular.
ActiveSetGradient differentiate(const ActiveSet& set, const NodePosterior& posterior,
                                const PreparedCovariance& covariance, double jitter,
                                const std::vector<double>& node_coords, const std::vector<double>& data_coords,
                                const std::vector<int>& rows, double divergence_weight, DataTerms& data);

}  // namespace neargp
