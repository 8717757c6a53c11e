// The data of a latent model: responses, and the linear predictor eta_i = offset_i + x_i'beta + w_i.
#pragma once

#include <vector>

#include "likelihoods/likelihood.h"

namespace neargp {

struct LatentResponse {
  std::vector<double> y, trials, weights, offset;
  std::vector<double> design;  // n x coefficients, row-major
  int coefficients = 0;

  Index n() const { return Index(y.size()); }
  Observations observations() const { return {n(), y.data(), trials.data(), weights.data()}; }

  // offset + X beta
  std::vector<double> trend(const std::vector<double>& beta) const {
    std::vector<double> eta = offset;
    for (Index i = 0; i < n(); ++i)
      for (int c = 0; c < coefficients; ++c) eta[i] += design[i * coefficients + c] * beta[c];
    return eta;
  }
};

}  // namespace neargp
