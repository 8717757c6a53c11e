// Leave-one-out moments of normal pseudo-observations: the primitive with several columns, and its adjoint. The score
// of a Gaussian response is in response/vecchia_likelihood.h, with every row a target among the others.
//
// Rows are pseudo-observations with values (columns) and noise variances nugget * noise_scale. Each target is
// conditioned on some of the rows. Let b and f be the weights and the conditional variance of a target. Its moments are
// b'x for each column x, and f, without the noise.
#pragma once

#include <vector>

#include "base/run_context.h"
#include "conditional/cached_view.h"
#include "conditional/conditional_moments.h"
#include "covariance/covariance.h"

namespace neargp {

// weighted: targets x columns. variance: targets.
struct PseudoObservationMoments {
  std::vector<double> weighted, variance;
  Index failed = -1;  // first target with a singular matrix, or -1
};

class PseudoObservations {
 public:
  // Row t of `neighbors` contains the rows of the data that target t is conditioned on, -1 where there are fewer.
  PseudoObservations(const LocalData& data, Points targets, NeighborTable neighbors);

  Index targets() const { return neighbors_.n; }
  int columns() const { return columns_; }

  // Moments of the targets first .. last-1.
  PseudoObservationMoments moments(Index first, Index last, const Covariance& covariance,
                                   const RunContext& context) const;

  // The gradient in the covariance parameters of an objective of these moments, given its partial derivatives in them.
  std::vector<double> adjoint(Index first, Index last, const Covariance& covariance,
                              const PseudoObservationMoments& bar, const RunContext& context) const;

 private:
  ConditionalMoments& open(Index first, Index last, const RunContext& context) const;

  int dim_, columns_;
  std::vector<double> coords_, values_, noise_scale_, target_coords_;
  NeighborTable neighbors_;
  mutable CachedView<ConditionalMoments> open_;
};

}  // namespace neargp
