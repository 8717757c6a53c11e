#include "variational/inducing_objective.h"

#include <algorithm>
#include <numeric>

#include "base/error.h"

namespace neargp {

namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr Index objective_chunk_rows = 4096;

// The rows first .. last-1, which count once.
RowBatch rows_between(Points coords, const LatentResponse& response, Index first, Index last) {
  std::vector<int> rows(std::size_t(last - first));
  std::iota(rows.begin(), rows.end(), int(first));
  RowBatch batch = take_batch(coords, response, rows);
  batch.weight = 1.0;
  batch.moves = true;
  batch.response.coefficients = 0;
  batch.response.design.clear();
  return batch;
}

void put(const RowMoments& of_chunk, Index first, InducingObjective& result) {
  const Index n = of_chunk.mean.size();
  RowMoments& all = result.rows;
  all.mean.segment(first, n) = of_chunk.mean;
  all.variance.segment(first, n) = of_chunk.variance;
  all.unexplained.segment(first, n) = of_chunk.unexplained;
  all.slope.segment(first, n) = of_chunk.slope;
  all.curvature.segment(first, n) = of_chunk.curvature;
  all.score += of_chunk.score;
  for (std::size_t a = 0; a < all.d_likelihood.size(); ++a) all.d_likelihood[a] += of_chunk.d_likelihood[a];
}

void add(const BatchGradient& of_chunk, Index first, BatchGradient& sum) {
  sum.coords.middleRows(first, of_chunk.coords.rows()) = of_chunk.coords;
  sum.score += of_chunk.score;
  sum.covariance.add(of_chunk.covariance);
  for (std::size_t a = 0; a < sum.likelihood.size(); ++a) sum.likelihood[a] += of_chunk.likelihood[a];
  sum.mean += of_chunk.mean;
  sum.root += of_chunk.root;
}

}  // namespace

InducingObjective inducing_objective(const LatentResponse& response, Points coords, Points inducing,
                                     const Covariance& covariance, const Likelihood& likelihood,
                                     const RootedPosterior& q, const BatchObjective& objective, double jitter,
                                     bool derivatives, const RunContext& context) {
  const Index n = coords.n, m = inducing.n;
  if (response.n() != n || q.mean.size() != m || q.lower.rows() != m || q.lower.cols() != m || q.of_precision)
    throw Error(
        "There must be a response for each row, and a mean and a row and a column of the root for each inducing "
        "point.");
  check_parameters(likelihood);
  InducingObjective result;
  const PreparedCovariance prepared = prepare(covariance, coords.dim, true);
  const InducingPoints points(prepared, inducing);
  const InducingFactor factor(points, jitter, true);
  if (!factor.regular()) {
    result.failure = BoundFailure::prior;
    return result;
  }
  const std::size_t parameters = likelihood.parameters.size();
  for (VectorXd* each :
       {&result.rows.mean, &result.rows.variance, &result.rows.unexplained, &result.rows.slope, &result.rows.curvature})
    each->resize(n);
  result.rows.d_likelihood.assign(parameters, 0.0);
  result.gradient = {0.0,
                     points.zero_gradient(),
                     std::vector<double>(parameters, 0.0),
                     VectorXd::Zero(m),
                     MatrixXd::Zero(m, m),
                     MatrixXd::Zero(derivatives ? n : 0, coords.dim)};
  for (Index first = 0; first < n; first += objective_chunk_rows) {
    if (context.check_interrupt) context.check_interrupt();
    const RowBatch batch = rows_between(coords, response, first, std::min(first + objective_chunk_rows, n));
    const BatchRows rows(factor, batch, likelihood, objective, context);
    const RowMoments at = rows.moments(q);
    put(at, first, result);
    if (derivatives) add(rows.gradient(q, at, true), first, result.gradient);
  }
  result.divergence = divergence_from_prior(q, 0);
  result.value = result.rows.score - objective.kl_weight * result.divergence;
  if (!derivatives) return result;
  subtract_divergence(q, 0, objective.kl_weight, result.gradient);
  result.gradient.covariance.parameters = active_part(std::move(result.gradient.covariance.parameters), covariance);
  return result;
}

}  // namespace neargp
