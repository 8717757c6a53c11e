#include "response/residual_leave_one_out.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "conditional/data.h"
#include "covariance/covariance_matrix.h"
#include "linalg/products.h"
#include "parallel/parallel_for.h"
#include "variational/neighbor_users.h"
#include "variational/whitened_rows.h"

namespace neargp {

using Eigen::MatrixXd;
using Eigen::VectorXd;

ResidualLeaveOneOut residual_leave_one_out(const RegressionData& data, const NeighborTable& neighbors,
                                           const Covariance& covariance, const LowRankPosterior& posterior,
                                           const RunContext& context) {
  if (neighbors.n != data.coords.n) throw Error("The table of neighbours must have one row for each row of the data.");
  check_rows(neighbors.index, -1, data.coords.n);
  const PreparedCovariance prepared = prepare(covariance, data.coords.dim, false);
  const InducingPoints points(prepared, posterior.inducing);
  const InducingFactor prior(points, posterior.jitter, false);
  ResidualLeaveOneOut result;
  if (!prior.regular()) {
    result.failure = BoundFailure::prior;
    return result;
  }
  const ResidualRows rows(prior, data.coords, product_engine(), context);
  const VectorXd noise = noise_variances(prepared, data.noise_scale, data.coords.n);
  const WhitenedRows whitened = whiten_rows(data, rows, noise, neighbors, false, context);
  result.failed_row = whitened.failed;
  if (whitened.failed >= 0) return result;

  const NeighborUsers users(neighbors);
  const Index n = rows.size(), m = points.size();
  result.weighted.resize(n, data.columns);
  result.variance.resize(n);
  constexpr Index chunk_rows = 256;
  parallel_for(context, (n + chunk_rows - 1) / chunk_rows, [&](Index chunk) {
    const Index first = chunk * chunk_rows, count = std::min(chunk_rows, n - first);
    MatrixXd features = MatrixXd::Zero(m, count), values = MatrixXd::Zero(data.columns, count);  // A V^-1, z'V^-1
    VectorXd precision = VectorXd::Zero(count);
    for (Index j = 0; j < count; ++j) {
      const auto add = [&](Index user, double weight) {
        const double u = weight / std::sqrt(whitened.variance[user]);
        precision[j] += u * u;
        features.col(j) += u * whitened.features.col(user).head(m);
        values.col(j) += u * whitened.values.col(user);
      };
      add(first + j, 1.0);
      users.for_each(first + j, [&](Index user, int place) { add(user, -whitened.weights(place, user)); });
    }
    values -= posterior.weights.transpose() * features;
    lower_solve(posterior.factor, features);
    precision -= features.colwise().squaredNorm().transpose();
    for (Index j = 0; j < count; ++j) {
      for (int c = 0; c < data.columns; ++c)
        result.weighted(first + j, c) = data.values[(first + j) * data.columns + c] - values(c, j) / precision[j];
      result.variance[first + j] = 1.0 / precision[j];
    }
  });
  return result;
}

}  // namespace neargp
