// The gradient of the likelihood of residual_vecchia.h in the parameters of the covariance, the nugget and the
// positions of the inducing points.
#pragma once

#include "variational/whitened_rows.h"

namespace neargp {

// The posterior of the whitened field at the inducing points, and the trend: of ResidualVecchia.
struct ResidualPosterior {
  const Eigen::MatrixXd& weights;
  const Eigen::MatrixXd& factor;
  const Eigen::VectorXd& contrast;  // (1, -beta)
};

// `whitened`: with their factors. The trend is fixed, by the envelope theorem.
InducingGradient residual_adjoint(const RegressionData& data, const ResidualRows& rows, const Eigen::VectorXd& noise,
                                  const NeighborTable& neighbors, const WhitenedRows& whitened,
                                  const ResidualPosterior& posterior, const RunContext& context);

}  // namespace neargp
