#include "variational/predictive_score.h"

#include <algorithm>
#include <cmath>

#include "likelihoods/marginal.h"
#include "linalg/products.h"
#include "parallel/parallel_for.h"
#include "variational/sum_rows.h"

namespace neargp {

namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

struct Square {
  MatrixXd lower;
  void add(const Square& other) { lower += other.lower; }
};

MatrixXd mirrored(const MatrixXd& lower) { return MatrixXd(lower.selfadjointView<Eigen::Lower>()); }

}  // namespace

PredictiveObjective::PredictiveObjective(const ScoredRows& rows, const InducingFactor& prior, const MatrixXd& origin,
                                         double kl_weight, const RunContext& context, Index chunk_rows)
    : rows_(rows), origin_(origin), kl_weight_(kl_weight), features_(prior, rows.coords, chunk_rows, context) {}

MatrixXd PredictiveObjective::factor(const MatrixXd& relative) const {
  MatrixXd result(origin_.rows(), origin_.cols());
  multiply(MatrixXd(origin_.triangularView<Eigen::Lower>()), MatrixXd(relative.triangularView<Eigen::Lower>()), result);
  return result;
}

template <class Body>
void PredictiveObjective::over_chunks(const RunContext& context, const Body& body) const {
  const Index rows = features_.chunk_rows(), n = rows_.coords.n;
  parallel_for(context, (n + rows - 1) / rows, [&](Index chunk) {
    features_.with(chunk * rows, [&](const MatrixXd& features, const VectorXd& unexplained) {
      body(chunk * rows, features, unexplained);
    });
  });
}

PredictiveScore PredictiveObjective::evaluate(const MatrixXd& relative, const Likelihood& likelihood,
                                              const RunContext& context) const {
  const Index n = rows_.coords.n, m = origin_.rows();
  const MatrixXd factor = this->factor(relative);
  PredictiveScore score;
  score.value = -INFINITY;
  std::vector<double> variance(n);
  over_chunks(context, [&](Index first, const MatrixXd& features, const VectorXd& unexplained) {
    MatrixXd seen = features;
    lower_solve(factor, seen);
    for (Index i = 0; i < seen.cols(); ++i)
      variance[first + i] = std::max(unexplained[i], 0.0) + seen.col(i).squaredNorm();
  });
  if (!std::all_of(variance.begin(), variance.end(), [](double v) { return std::isfinite(v); })) return score;
  const MarginalDensity density =
      density_of_rows(likelihood, {rows_.observations, rows_.mean, variance.data(), nullptr}, true, context);

  MatrixXd inverse = MatrixXd::Identity(m, m);
  lower_solve(factor, inverse);
  score.value = -kl_weight_ * (0.5 * inverse.squaredNorm() + factor.diagonal().array().log().sum());
  for (const double value : density.value) score.value += value;
  if (!std::isfinite(score.value)) {
    score.value = -INFINITY;
    return score;
  }
  Square total =
      sum_rows(n, features_.chunk_rows(), m * m, context, Square{MatrixXd::Zero(m, m)},
               [&](Index first, Index last, Square& sum) {
                 features_.with(first, [&](const MatrixXd& features, const VectorXd&) {
                   MatrixXd seen = features;
                   lower_solve(factor, seen);
                   weighted_rank_update(
                       seen, Eigen::Map<const VectorXd>(density.d_variance.data() + first, last - first), sum.lower);
                 });
               });
  weighted_rank_update(inverse, VectorXd::Constant(m, -0.5 * kl_weight_), total.lower);
  score.d_factor = -2.0 * mirrored(total.lower);
  lower_transposed_solve(relative, score.d_factor);
  score.d_factor.triangularView<Eigen::StrictlyUpper>().setZero();
  score.d_factor.diagonal().array() = score.d_factor.diagonal().array() * relative.diagonal().array() - kl_weight_;
  score.d_likelihood = density.d_log_parameters;
  return score;
}

}  // namespace neargp
