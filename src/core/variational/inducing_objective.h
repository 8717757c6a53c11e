// An objective on inducing points (batch_rows.h) of all rows, at a given posterior and given parameters: the evidence
// lower bound, or the predictive score, less the weighted divergence from the prior, and its gradient.
#pragma once

#include "variational/adam_posterior.h"

namespace neargp {

struct InducingObjective {
  BoundFailure failure = BoundFailure::none;
  double value = 0.0;       // score - kl_weight divergence
  double divergence = 0.0;  // KL[q(w) // N(0, I)] of the field
  RowMoments rows;          // without the pieces
  BatchGradient gradient;   // of value; empty unless it was asked for
};

// q has a root of its covariance matrix, and no trend: what is known of it is in the response's offset. Its design is
// left alone.
InducingObjective inducing_objective(const LatentResponse& response, Points coords, Points inducing,
                                     const Covariance& covariance, const Likelihood& likelihood,
                                     const RootedPosterior& q, const BatchObjective& objective, double jitter,
                                     bool derivatives, const RunContext& context);

}  // namespace neargp
