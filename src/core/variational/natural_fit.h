// The stochastic optimiser of the bound on inducing points: in each step q moves by a natural gradient on some rows
// (natural_step.h), then covariance, likelihood and positions by Adam on the same rows. q is thrown away in the end: the
// best one for what was found takes a pass over all rows (collapsed_bound.h, family_bound.h).
#pragma once

#include <cstdint>
#include <functional>

#include "covariance/parameters.h"
#include "variational/family_bound.h"

namespace neargp {

struct NaturalFitSettings {
  BoundKind kind = BoundKind::tight;
  double jitter = 1e-6;
  int epochs = 20;
  Index batch_size = 1024;
  double learning_rate = 0.01;        // of Adam, cut by ten at 75% and 90% of the steps
  double natural_rate = 0.1;          // of q; the first steps, t = 1, 2, .., have the larger 1 / t
  std::uint64_t key = 0;              // of the batches
  WorkingParameters covariance;       // the core's covariance parameters
  WorkingParameters likelihood;
  std::vector<double> position_unit;  // in which each coordinate moves; empty: positions are held
  bool spherical = false;             // positions stay on the sphere about the origin
  std::function<void(int epoch, double value)> report;  // may be empty
};

struct NaturalFit {
  Covariance covariance;
  Likelihood likelihood;
  std::vector<double> positions;  // row-major
  std::vector<double> trace;      // estimates of the bound, by epoch
  int skipped = 0;                // steps that were not taken, since the gradient overflowed
};

// A gaussian response has its noise in the likelihood. `start`: pseudo-observations of all rows, of which q begins. The
// columns of the design are of unit size. Throws an Error where a matrix is singular.
NaturalFit natural_fit(const LatentResponse& response, Points coords, Points inducing, const Covariance& covariance,
                       const Likelihood& likelihood, const FamilyPosterior& start, const NaturalFitSettings& settings,
                       const RunContext& context);

}  // namespace neargp
