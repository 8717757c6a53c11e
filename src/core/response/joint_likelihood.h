// MLL-k: the mean over the members of each neighbourhood of their joint log density (Jankowiak and Pleiss 2022,
// eq. 15). A neighbourhood consists of a point and its k nearest points.
#pragma once

#include "response/vecchia_likelihood.h"

namespace neargp {

// log_det and gram only; each neighbourhood's share is divided by its number of points.
LikelihoodSums joint_sums(const LocalProblem& problem, const Covariance& covariance, const RunContext& context);

ObjectiveGradient joint_gradient(LocalProblem& problem, const Covariance& covariance, const std::vector<double>& beta,
                                 const RunContext& context);

}  // namespace neargp
