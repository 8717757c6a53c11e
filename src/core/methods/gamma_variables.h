// The auxiliary variables of Student's t within conditioning sets (Jankowiak and Pleiss 2022, appendix A.9).
//
// A datum with t noise is normal with noise variance noise / omega given its gamma variable omega, of mean 1. Given the field,
//
//   E omega = (df + 1) / (df + r^2 / scale^2),      r the datum's noise,
//
// so that data far from their neighbours count little. The squared noise is that of the datum's prediction from the others of its
// conditioning set, and its variance, r^2 + f. All others at once cost one inverse: with Q = (K + diag(noise / omega))^-1 datum i is
// predicted with the residual (Q z)_i / Q_ii and the variance f_i + noise_i = 1 / Q_ii (Dubrule 1983). That is repeated a few times,
// from omega = 1.
//
// Nothing beyond the set is seen, above all not the target that it belongs to: what leave-one-out prediction of the target is made of
// stays free of the target's own response, as it would not if each datum had one variable for all sets.
#pragma once

#include <vector>

#include "base/run_context.h"
#include "covariance/covariance.h"
#include "local/problem.h"

namespace neargp {

struct StudentNoise {
  double scale = 1.0, df = 4.0;
  int sweeps = 3;
};

// E omega of every neighbour of every target, row by row, 1 where there is none. Of the data the one column are residuals of the trend,
// and noise_scale divides nugget and squared scale alike. Targets with a singular matrix keep 1.
std::vector<double> gamma_variables(const LocalData& data, const NeighborTable& neighbors, const Covariance& covariance,
                                    const StudentNoise& noise, const RunContext& context);

}  // namespace neargp
