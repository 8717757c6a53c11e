#include "response/residual_vecchia.h"

#include <cmath>

#include "base/constants.h"
#include "base/error.h"
#include "conditional/data.h"
#include "covariance/covariance_matrix.h"
#include "linalg/products.h"
#include "response/residual_adjoint.h"
#include "variational/generalized_least_squares.h"
#include "variational/sum_rows.h"

namespace neargp {

namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

// For the whitened rows.
struct Moments {
  MatrixXd gram;     // of features, lower triangle
  MatrixXd cross;    // of features and values
  MatrixXd columns;  // of values

  void add(const Moments& other) {
    gram += other.gram;
    cross += other.cross;
    columns += other.columns;
  }
};

Moments sum_moments(const WhitenedRows& rows, Index m, const RunContext& context) {
  constexpr Index chunk_rows = 1024;
  const Index columns = rows.values.rows();
  const Moments zero{MatrixXd::Zero(m, m), MatrixXd::Zero(m, columns), MatrixXd::Zero(columns, columns)};
  return sum_rows(rows.size(), chunk_rows, m * m, context, zero, [&](Index first, Index last, Moments& sum) {
    const auto features = rows.features.block(0, first, m, last - first);
    const auto values = rows.values.middleCols(first, last - first);
    rank_update(features, sum.gram);
    sum.cross.noalias() += features * values.transpose();
    sum.columns.noalias() += values * values.transpose();
  });
}

ResidualVecchia failed(BoundFailure failure, Index row = -1) {
  ResidualVecchia result;
  result.failure = failure;
  result.failed_row = row;
  result.value = -INFINITY;
  return result;
}

void check_input(const RegressionData& data, const NeighborTable& neighbors) {
  if (neighbors.n != data.coords.n) throw Error("The table of neighbours must have one row for each row of the data.");
  check_coordinates(data.coords);
  check_rows(neighbors.index, -1, data.coords.n);
}

}  // namespace

ResidualVecchia residual_vecchia(const RegressionData& data, Points inducing, const NeighborTable& neighbors,
                                 const Covariance& covariance, double jitter, bool derivatives,
                                 const RunContext& context, const MatrixXd& within) {
  check_input(data, neighbors);
  const PreparedCovariance prepared = prepare(covariance, data.coords.dim, derivatives);
  const InducingPoints points(prepared, inducing);
  const InducingFactor prior(points, jitter, derivatives);
  if (!prior.regular()) return failed(BoundFailure::prior);
  const ResidualRows rows(prior, data.coords, product_engine(), context);
  const VectorXd noise = noise_variances(prepared, data.noise_scale, data.coords.n);
  const WhitenedRows whitened = whiten_rows(data, rows, noise, neighbors, derivatives, context);
  if (whitened.failed >= 0) return failed(BoundFailure::none, whitened.failed);

  ResidualVecchia result;
  const Moments moments = sum_moments(whitened, points.size(), context);
  result.factor = moments.gram;
  result.factor.diagonal().array() += 1.0;
  if (!cholesky(result.factor)) return failed(BoundFailure::posterior);
  result.weights = moments.cross;
  lower_solve(result.factor, result.weights);
  GeneralizedLeastSquares trend;
  MatrixXd gram = moments.columns - result.weights.transpose() * result.weights;
  if (within.size() > 0) gram += within;
  if (!generalized_least_squares(gram, trend)) return failed(BoundFailure::trend);
  lower_transposed_solve(result.factor, result.weights);
  result.beta = trend.beta;
  result.beta_covariance = trend.covariance;
  result.unexplained = rows.unexplained().mean();
  const double log_det = whitened.variance.array().log().sum() + 2.0 * result.factor.diagonal().array().log().sum();
  result.value = -0.5 * (double(data.coords.n) * log_two_pi + log_det + trend.contrast.dot(gram * trend.contrast));
  if (!std::isfinite(result.value)) return failed(BoundFailure::posterior);
  if (!derivatives) return result;
  result.gradient = residual_adjoint(data, rows, noise, neighbors, whitened,
                                     {result.weights, result.factor, trend.contrast}, context);
  result.gradient.parameters = active_part(std::move(result.gradient.parameters), covariance);
  return result;
}

}  // namespace neargp
