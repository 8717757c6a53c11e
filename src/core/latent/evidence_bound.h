// The evidence lower bound (ELBO) of vnngp(). The prior of a latent model at its nodes is N(0, Q^-1), and the Gaussian
// approximation of its posterior is q(u) = N(m, A^-1) with A = Q + C'WC.
//
//   L = sum_i E log p(y_i | eta_i) - KL[q(u) || N(0, Q^-1)].
//
// The divergence is 1/2 [tr(Q A^-1) - nodes + m'Qm + log|A| - log|Q|], and tr(Q A^-1) = nodes - tr(C'WC A^-1).
// Therefore
//
//   L = sum_i E log p(y_i | eta_i) + 1/2 sum_i W_i (s_i - v_i) - 1/2 m'Qm + 1/2 log|Q| - 1/2 log|A|.
//
// Under q the variance of the field at datum i is s_i = v_i + c_i'Z c_i, Z = A^-1. Here v_i is the variance given the
// nodes.
//
// A factor of A on the pattern of the model's cliques gives log|A| and Z = d log|A| / dA. With an incomplete factor L
// is that factor's own objective. The gradient is derived in evidence_bound_gradient.cpp.
#pragma once

#include <vector>

#include "latent/posterior_factor.h"

namespace neargp {

double evidence_bound(double expected_log_likelihood, const LatentModel& model, const PosteriorFactor& factor,
                      const std::vector<double>& precision, const std::vector<double>& mean);

// The log density of data and field, log p(y | u) - 1/2 u'Qu, without what does not depend on the field.
double log_joint_density(double log_likelihood, const LatentModel& model, const std::vector<double>& field);

// Laplace's approximation of the log evidence, given that density at the mode and A factorised there.
double laplace_evidence(double log_joint_density, const LatentModel& model, const PosteriorFactor& factor);

// The derivatives of -1/2 m'Qm + 1/2 log|Q| - 1/2 tr(Z Q) in the weights and variances of the prior. `products`: Z a_j
// on the clique of each node. `own`: if given, only the derivatives of these nodes are computed.
LatentAdjoints prior_adjoints(const LatentModel& model, const std::vector<double>& mean,
                              const std::vector<double>& products, const std::vector<char>* own = nullptr);

}  // namespace neargp
