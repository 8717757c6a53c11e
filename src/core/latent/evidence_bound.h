// The evidence lower bound of vnngp(), for a Gaussian approximation q(u) = N(m, A^-1), A = Q + C'WC, of the posterior
// of a latent model with the prior N(0, Q^-1) at its nodes:
//
//   L = sum_i E log p(y_i | eta_i) - KL[q(u) || N(0, Q^-1)]
//     = sum_i E log p(y_i | eta_i) + 1/2 sum_i W_i (s_i - v_i) - 1/2 m'Qm + 1/2 log|Q| - 1/2 log|A|,
//
// since the divergence is 1/2 [tr(Q A^-1) - nodes + m'Qm + log|A| - log|Q|] and tr(Q A^-1) = nodes - tr(C'WC A^-1).
// Under q the field at datum i has the variance s_i = v_i + c_i'Z c_i, Z = A^-1; v_i is what the nodes leave of it.
//
// log|A| and Z = d log|A| / dA come from a factor of A on the pattern of the model's cliques. With an incomplete factor
// L is that factor's own objective. The gradient is derived in evidence_bound_gradient.cpp.
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

// The derivatives of -1/2 m'Qm + 1/2 log|Q| - 1/2 tr(Z Q) in the weights and variances of the prior, those of the nodes
// `own` alone where they are given, with `products` = Z a_j on the clique of each node.
LatentAdjoints prior_adjoints(const LatentModel& model, const std::vector<double>& mean,
                              const std::vector<double>& products, const std::vector<char>* own = nullptr);

}  // namespace neargp
