// The Gaussian process without approximation: O(n^3), for small n and as a reference.
#pragma once

#include "methods/conditional_likelihood.h"
#include "methods/kriging.h"

namespace neargp {

// As conditional_sums(), of the dense model. `failed` is 0 when the covariance matrix is
// singular.
LikelihoodSums exact_sums(const LocalData& data, const Covariance& covariance, bool information);

// As krige(), conditioning on all data.
Kriging exact_krige(const LocalData& data, Points targets, const Covariance& covariance,
                    const int* target_outputs = nullptr);

}  // namespace neargp
