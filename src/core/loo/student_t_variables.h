// The auxiliary variables of Student's t within conditioning sets (Jankowiak and Pleiss 2022, appendix A.9).
//
// A datum with t noise is normal with noise variance scale^2 / omega given its gamma variable omega. In its place each
// datum gets the one value with which the field's posterior mean is that of all values it may have (matched_omega() in
// likelihoods/marginal.h), so that data far from their neighbours count little. The prediction of a datum from the
// others of its conditioning set, all at once, costs one inverse: with Q = (K + diag(noise / omega))^-1 its residual is
// (Q z)_i / Q_ii and its variance, noise included, 1 / Q_ii (Dubrule 1983). That is repeated a few times, from omega
// = 1.
//
// (The mean of omega given the residual and variance of that prediction, (df + 1) / (df + (r^2 + f) / scale^2), as a
// mean-field approximation has it, takes the scatter of the field for noise: data count too little where the field is
// rough.)
//
// Nothing beyond the set is seen, above all not the target that it belongs to: what leave-one-out prediction of the
// target is made of stays free of the target's own response, as it would not if each datum had one variable for all
// sets.
#pragma once

#include <vector>

#include "base/run_context.h"
#include "conditional/problem.h"
#include "covariance/covariance.h"

namespace neargp {

struct StudentNoise {
  double scale = 1.0, df = 4.0;
  int sweeps = 3;
};

// The omega of every neighbour of every target, row by row, 1 where there is none. The one column of the data is
// residuals of the trend, the covariance's nugget times noise_scale is the noise, and noise_scale also multiplies the
// squared scale. Targets with a singular matrix keep 1.
std::vector<double> gamma_variables(const LocalData& data, const NeighborTable& neighbors, const Covariance& covariance,
                                    const StudentNoise& noise, const RunContext& context);

}  // namespace neargp
