#include "latent/low_rank_prediction.h"

#include <algorithm>
#include <string>
#include <utility>

#include "base/error.h"
#include "linalg/products.h"
#include "parallel/parallel_for.h"
#include "variational/most_correlated.h"
#include "variational/residual_conditional.h"

namespace neargp {

namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr Index chunk_rows = 128;

// Mean and response to the trend, a column for each.
MatrixXd means_by_node(const LatentModel& model, const SparsePosterior& posterior, const double* field_response,
                       int columns) {
  MatrixXd result(model.nodes(), 1 + columns);
  result.col(0) = Eigen::Map<const VectorXd>(posterior.state().mean.data(), model.nodes());
  result.rightCols(columns) = Eigen::Map<const MatrixXd>(field_response, model.nodes(), columns);
  return result;
}

class LowRankPrediction {
 public:
  LowRankPrediction(const LatentModel& model, const SparsePosterior& posterior, const ResidualRows& places,
                    const NeighborTable& neighbors, MatrixXd means)
      : prior_(*model.low_rank()), factor_(posterior.factor()), places_(places), neighbors_(neighbors),
        means_(std::move(means)), whitened_means_(prior_.split(means_).whitened), variance_(places.size()),
        weighted_(places.size(), means_.cols()) {}

  LatentPrediction run(const RunContext& context) {
    parallel_for(context, (places_.size() + chunk_rows - 1) / chunk_rows,
                 [&](Index chunk) { predict(chunk * chunk_rows); });
    const double *mean = weighted_.data(), *response = mean + weighted_.rows();
    return {
        {mean, response}, {variance_.data(), variance_.data() + variance_.size()}, {response, mean + weighted_.size()}};
  }

 private:
  // Predicts in matrices of one width, with the engine whose results do not depend on the position of a column. Other
  // locations therefore do not matter.
  void predict(Index first) {
    const Index count = std::min(chunk_rows, places_.size() - first);
    ResidualConditional conditional(places_.covariance(), neighbors_.k);
    MatrixXd unseen = MatrixXd::Zero(places_.stride(), chunk_rows);
    Workspace workspace;
    std::vector<VectorXd> weights;
    for (Index t = 0; t < count; ++t) {
      const int* member = neighbors_[first + t];
      if (!conditional.update(prior_.rows(), places_, first + t, member, prior_.noise().data(), 0.0))
        throw Error("The covariance matrix of the nodes near location " + std::to_string(first + t + 1) +
                    " is not positive definite to working precision: raise the jitter.");
      conditional.unseen_features(unseen.col(t).data());
      const double* b = conditional.weights().data();
      variance_[first + t] = std::max(conditional.variance(), 0.0) +
                             factor_.factor().inverse_quadratic_form(member, b, conditional.count(), workspace);
      weighted_.row(first + t).setZero();
      for (int a = 0; a < conditional.count(); ++a) weighted_.row(first + t) += b[a] * means_.row(member[a]);
      weights.push_back(conditional.weights());
    }
    MatrixXd spread = unseen.topRows(prior_.size());
    for (Index t = 0; t < count; ++t)
      for (Index c = 0; c < weighted_.cols(); ++c) weighted_(first + t, c) += spread.col(t).dot(whitened_means_.col(c));
    lower_solve(factor_.low_rank().lower(), spread, eigen_engine());
    for (Index t = 0; t < count; ++t) {
      const VectorXd& b = weights[t];
      for (Index a = 0; a < b.size(); ++a)
        spread.col(t) += b[a] * factor_.low_rank().spread().col(neighbors_[first + t][a]);
      variance_[first + t] += spread.col(t).squaredNorm();
    }
  }

  const LowRankPrior& prior_;
  const PosteriorFactor& factor_;
  const ResidualRows& places_;
  const NeighborTable& neighbors_;
  const MatrixXd means_, whitened_means_;
  VectorXd variance_;
  MatrixXd weighted_;
};

}  // namespace

LatentPrediction predict_low_rank(const LatentModel& model, const SparsePosterior& posterior, Points locations,
                                  const NeighborTable& candidates, int k, const std::vector<double>& field_response,
                                  int columns, const RunContext& context) {
  const ResidualRows& rows = model.low_rank()->rows();
  const ResidualRows places(rows.factor(), locations, eigen_engine(), context);
  const NeighborTable neighbors = most_correlated(rows, places, model.in_own_numbers(candidates), k, context);
  return LowRankPrediction(model, posterior, places, neighbors,
                           means_by_node(model, posterior, field_response.data(), columns))
      .run(context);
}

LatentJoint joint_low_rank(const LatentModel& model, const SparsePosterior& posterior, const MatrixXd& weights,
                           const MatrixXd& alpha, const MatrixXd& field_response, const RunContext& context) {
  const MatrixXd means = means_by_node(model, posterior, field_response.data(), int(field_response.cols()));
  const MatrixXd weighted = weights.transpose() * means + alpha.transpose() * model.low_rank()->split(means).whitened;
  MatrixXd solved(weights.rows(), weights.cols());
  for (Index t = 0; t < weights.cols(); ++t) {
    const VectorXd b = weights.col(t);
    const std::vector<double> column =
        posterior.factor().solve_residual({b.data(), b.data() + b.size()}, 1e-10, context);
    solved.col(t) = Eigen::Map<const VectorXd>(column.data(), b.size());
  }
  const LowRankFactor& factor = posterior.factor().low_rank();
  MatrixXd spread = alpha;
  lower_solve(factor.lower(), spread);
  spread += factor.spread() * weights;
  return {weighted.col(0), weighted.rightCols(field_response.cols()),
          weights.transpose() * solved + spread.transpose() * spread};
}

}  // namespace neargp
