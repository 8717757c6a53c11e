// An objective on inducing points (batch_rows.h) for all rows, at a given posterior and given parameters, and its
// gradient. It is the expected log density or the predictive score, minus the weighted divergence from the prior.
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

// q must hold a root of its covariance matrix. It contains no trend: the known trend is part of the response's offset.
// The design of the response is ignored.
InducingObjective inducing_objective(const LatentResponse& response, Points coords, Points inducing,
                                     const Covariance& covariance, const Likelihood& likelihood,
                                     const RootedPosterior& q, const BatchObjective& objective, double jitter,
                                     bool derivatives, const RunContext& context);

}  // namespace neargp
