#include "variational/coregionalised_prediction.h"

#include <algorithm>

#include "linalg/products.h"
#include "parallel/parallel_for.h"
#include "variational/coregionalised_block.h"
#include "variational/padded_places.h"

namespace neargp {

using Eigen::MatrixXd;

CoregionalisedPrediction coregionalised_prediction(Points targets, Points inducing, const Covariance& covariance,
                                                   double jitter, const MatrixXd& weights, const MatrixXd& factor,
                                                   const RunContext& context) {
  constexpr Index chunk_rows = 64;
  const PreparedCovariance prepared = prepare(covariance, targets.dim, false);
  const CoregionalisedFactor prior(prepared, inducing, jitter, false);
  CoregionalisedPrediction result;
  if (!prior.regular()) {
    result.failure = BoundFailure::prior;
    return result;
  }
  const int outputs = prepared.outputs();
  std::vector<MatrixXd> own_weights;
  for (int p = 0; p < outputs; ++p) own_weights.push_back(prior.from_fields(weights, p));
  result.weighted.resize(targets.n * outputs, weights.cols());
  result.unexplained.resize(targets.n, outputs * (outputs + 1) / 2);
  result.posterior.resize(targets.n, result.unexplained.cols());
  parallel_for(context, (targets.n + chunk_rows - 1) / chunk_rows, [&](Index chunk) {
    const Index first = chunk * chunk_rows, count = std::min(chunk_rows, targets.n - first);
    const PaddedPlaces places(targets, first, chunk_rows);
    const CoregionalisedBlock block(prior, places.view(), false, eigen_engine());
    std::vector<MatrixXd> whitened;
    for (int p = 0; p < outputs; ++p) {
      whitened.push_back(prior.onto_fields(block.features(), p));
      lower_solve(factor, whitened.back(), eigen_engine());
      const MatrixXd weighted = block.features().transpose() * own_weights[std::size_t(p)];
      result.weighted.middleRows(p * targets.n + first, count) = weighted.topRows(count);
    }
    Index pair = 0;
    for (int q = 0; q < outputs; ++q)
      for (int p = q; p < outputs; ++p, ++pair) {
        const Eigen::VectorXd products =
            whitened[std::size_t(p)].cwiseProduct(whitened[std::size_t(q)]).colwise().sum();
        result.unexplained.col(pair).segment(first, count) = block.unexplained(p, q).head(count);
        result.posterior.col(pair).segment(first, count) = products.head(count);
      }
  });
  return result;
}

}  // namespace neargp
