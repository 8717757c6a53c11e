#include "response/residual_prediction.h"

#include <algorithm>

#include "base/error.h"
#include "conditional/data.h"
#include "covariance/covariance_matrix.h"
#include "linalg/products.h"
#include "parallel/parallel_for.h"
#include "variational/most_correlated.h"
#include "variational/residual_conditional.h"

namespace neargp {

namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr Index prediction_chunk_rows = 128;

class Prediction {
 public:
  Prediction(const RegressionData& data, const ResidualRows& rows, const ResidualRows& targets,
             const NeighborTable& neighbors, const VectorXd& noise, const MatrixXd& weights, const MatrixXd& factor)
      : data_(data), rows_(rows), targets_(targets), neighbors_(neighbors), noise_(noise), weights_(weights),
        factor_(factor) {
    result_.weighted.resize(targets.size(), data.columns);
    result_.variance.resize(targets.size());
  }

  ResidualPrediction run(const RunContext& context) {
    const Index chunks = (targets_.size() + prediction_chunk_rows - 1) / prediction_chunk_rows;
    std::vector<Index> failed(std::size_t(chunks), -1);
    parallel_for(context, chunks, [&](Index chunk) { failed[chunk] = predict(chunk * prediction_chunk_rows); });
    for (const Index row : failed)
      if (result_.failed_row < 0) result_.failed_row = row;
    return std::move(result_);
  }

 private:
  // In matrices of one width, by the engine whose result for a column does not depend on the column's position.
  // Therefore other targets play no part.
  Index predict(Index first) {
    const Index count = std::min(prediction_chunk_rows, targets_.size() - first), m = factor_.rows();
    ResidualConditional conditional(rows_.covariance(), neighbors_.k);
    MatrixXd columns = MatrixXd::Zero(rows_.stride(), prediction_chunk_rows);
    Index failed = -1;
    for (Index t = 0; t < count; ++t) {
      if (!conditional.update(rows_, targets_, first + t, neighbors_[first + t], noise_.data(), 0.0)) {
        if (failed < 0) failed = first + t;
        continue;
      }
      conditional.unseen_features(columns.col(t).data());
      result_.variance[first + t] = std::max(conditional.variance(), 0.0);
      for (int c = 0; c < data_.columns; ++c) {
        double sum = 0.0;
        for (int a = 0; a < conditional.count(); ++a)
          sum += conditional.weights()[a] * data_.values[Index(neighbors_[first + t][a]) * data_.columns + c];
        result_.weighted(first + t, c) = sum;
      }
    }
    MatrixXd unseen = columns.topRows(m);
    const MatrixXd weighted = unseen.transpose() * weights_;
    lower_solve(factor_, unseen, eigen_engine());
    result_.weighted.middleRows(first, count) += weighted.topRows(count);
    result_.variance.segment(first, count) += unseen.leftCols(count).colwise().squaredNorm().transpose();
    return failed;
  }

  const RegressionData& data_;
  const ResidualRows& rows_;
  const ResidualRows& targets_;
  const NeighborTable& neighbors_;
  const VectorXd& noise_;
  const MatrixXd& weights_;
  const MatrixXd& factor_;
  ResidualPrediction result_;
};

}  // namespace

ResidualPrediction residual_prediction(const RegressionData& data, Points targets, const NeighborTable& candidates,
                                       int k, const InducingPrior& prior, const Eigen::MatrixXd& weights,
                                       const Eigen::MatrixXd& factor, const RunContext& context) {
  if (candidates.n != targets.n) throw Error("The table of candidates must have one row for each new location.");
  check_coordinates(data.coords);
  check_coordinates(targets);
  check_rows(candidates.index, -1, data.coords.n);
  prior.check(targets, weights, factor);
  ResidualPrediction failed;
  failed.failure = BoundFailure::prior;
  if (!prior.factor().regular()) return failed;
  const ResidualRows rows(prior.factor(), data.coords, eigen_engine(), context);
  const ResidualRows queries(prior.factor(), targets, eigen_engine(), context);
  const NeighborTable neighbors = most_correlated(rows, queries, candidates, k, context);
  const VectorXd noise = noise_variances(prior.covariance(), data.noise_scale, data.coords.n);
  return Prediction(data, rows, queries, neighbors, noise, weights, factor).run(context);
}

}  // namespace neargp
