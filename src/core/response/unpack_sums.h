// Turns the sums of the kernels into results: symmetric matrices are complete, and targets are under the numbers of the
// caller. Every derivative that is not wanted is zero: the kernels always compute those in the first variance and the
// nugget, at no cost.
#pragma once

#include "conditional/problem.h"
#include "response/vecchia_likelihood.h"

namespace neargp {

// Kernels fill one half of a symmetric matrix. `sum(i, j)` is entry (i, j) for j <= i.
template <class Sum>
void fill_symmetric(double* matrix, int size, const Sum& sum) {
  for (int i = 0; i < size; ++i)
    for (int j = 0; j <= i; ++j) matrix[i * size + j] = matrix[j * size + i] = sum(i, j);
}

inline Index failed_row(const TargetSums& totals, const LocalProblem& problem) {
  return totals.failed < 0 ? -1 : problem.row_of_datum(totals.failed);
}

// Sums that are the objective and then its gradient.
inline ObjectiveGradient unpack_gradient(const TargetSums& totals, const LocalProblem& problem,
                                         const Covariance& covariance) {
  ObjectiveGradient result;
  result.value = totals.sums[0];
  for (int a = 0; a < covariance.parameters(); ++a)
    result.gradient.push_back(covariance.is_active(a) ? totals.sums[1 + a] : 0.0);
  result.failed = failed_row(totals, problem);
  return result;
}

}  // namespace neargp
