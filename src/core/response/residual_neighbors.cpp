#include "response/residual_neighbors.h"

#include "base/error.h"
#include "conditional/data.h"
#include "variational/most_correlated.h"

namespace neargp {

ResidualNeighbors residual_neighbors(Points coords, Points inducing, const NeighborTable& candidates, int k,
                                     const Covariance& covariance, double jitter, const RunContext& context) {
  if (candidates.n != coords.n) throw Error("The table of candidates must have one row for each row of the data.");
  check_rows(candidates.index, -1, coords.n);
  ResidualNeighbors result;
  const PreparedCovariance prepared = prepare(covariance, coords.dim, false);
  const InducingPoints points(prepared, inducing);
  const InducingFactor prior(points, jitter, false);
  if (!prior.regular()) {
    result.failure = BoundFailure::prior;
    return result;
  }
  const ResidualRows rows(prior, coords, product_engine(), context);
  result.neighbors = most_correlated(rows, rows, candidates, k, context);
  return result;
}

}  // namespace neargp
