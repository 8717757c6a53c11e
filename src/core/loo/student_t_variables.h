// The auxiliary variables of Student's t within conditioning sets (Jankowiak and Pleiss 2022, appendix A.9).
//
// Given its gamma variable omega, a datum with t noise is normal with noise variance scale^2 / omega. A single value
// replaces the variable of each datum, see matched_omega() in likelihoods/marginal.h. With this value, the posterior
// mean of the field is the one with a random omega. Data far from their neighbours therefore count little.
//
// One inverse gives the predictions of all data from the others of their conditioning set (Dubrule 1983). Let Q be the
// inverse of K + diag(noise / omega). The residual is (Q z)_i / Q_ii, and the variance, noise included, is 1 / Q_ii.
// This is repeated a few times, from omega = 1.
//
// A mean-field approximation uses the mean of omega given the residual r and the variance f of that prediction. That
// mean is c / d with c = df + 1 and d = df + (r^2 + f) / scale^2. It takes the scatter of the field for noise, so that
// data count too little where the field is rough.
//
// Nothing beyond the set is used, in particular not the target that the set belongs to. Therefore leave-one-out
// predictions of a target do not depend on its own response. They would depend on it if each datum used one variable
// for all sets.
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

// The omega of every neighbour of every target, row by row, 1 where there is none. The data contain one column, the
// residuals of the trend. The noise is the covariance's nugget times noise_scale, and noise_scale also multiplies the
// squared scale. Targets with a singular matrix keep 1.
std::vector<double> gamma_variables(const LocalData& data, const NeighborTable& neighbors, const Covariance& covariance,
                                    const StudentNoise& noise, const RunContext& context);

}  // namespace neargp
