#include "variational/collapsed_prediction.h"

#include <algorithm>

#include "base/error.h"
#include "covariance/covariance_matrix.h"
#include "linalg/products.h"
#include "parallel/parallel_for.h"
#include "variational/padded_places.h"

namespace neargp {

namespace {

constexpr Index prediction_chunk_rows = 256;

}  // namespace

CollapsedPrediction collapsed_prediction(Points targets, const InducingPrior& prior, const Eigen::MatrixXd& weights,
                                         const Eigen::MatrixXd& factor, const RunContext& context) {
  prior.check(targets, weights, factor);
  CollapsedPrediction result;
  if (!prior.factor().regular()) {
    result.failure = BoundFailure::prior;
    return result;
  }
  result.weighted.resize(targets.n, weights.cols());
  result.unexplained.resize(targets.n);
  result.posterior.resize(targets.n);
  parallel_for(context, (targets.n + prediction_chunk_rows - 1) / prediction_chunk_rows, [&](Index chunk) {
    const Index first = chunk * prediction_chunk_rows, count = std::min(prediction_chunk_rows, targets.n - first);
    const PaddedPlaces places(targets, first, prediction_chunk_rows);
    // With this engine, the result for a column does not depend on the position of the column.
    const CrossBlock block(prior.factor(), places.view(), false, eigen_engine());
    Eigen::MatrixXd whitened = block.features();
    lower_solve(factor, whitened, eigen_engine());
    const Eigen::MatrixXd weighted = block.features().transpose() * weights;
    result.weighted.middleRows(first, count) = weighted.topRows(count);
    result.unexplained.segment(first, count) = block.unexplained().head(count);
    result.posterior.segment(first, count) = whitened.leftCols(count).colwise().squaredNorm();
  });
  return result;
}

InducingFeatures inducing_features(Points targets, const InducingPrior& prior, const RunContext& context) {
  prior.check(targets);
  InducingFeatures result;
  if (!prior.factor().regular()) {
    result.failure = BoundFailure::prior;
    return result;
  }
  result.features = CrossBlock(prior.factor(), targets, false).features();
  result.unexplained = covariance_matrix(prior.covariance(), targets, targets, nullptr, nullptr, context) -
                       result.features.transpose() * result.features;
  return result;
}

}  // namespace neargp
