#include "response/kriging.h"

#include <algorithm>
#include <string>

#include "base/error.h"
#include "conditional/conditional_moments.h"

namespace neargp {

namespace {

// An unknown mean needs at least one datum.
void check_present(const NeighborTable& neighbors) {
  for (Index t = 0; t < neighbors.n; ++t)
    if (std::all_of(neighbors[t], neighbors[t] + neighbors.k, [](int row) { return row < 0; }))
      throw Error("New location " + std::to_string(t + 1) +
                  " has no neighbours from which its local mean could be found.");
}

}  // namespace

KrigingPredictor::KrigingPredictor(const LocalData& data, const Covariance& covariance)
    : data_(data), covariance_(covariance), prepared_(prepare(covariance, data.coords.dim, false)) {
  check_coordinates(data.coords);
  check_outputs(data.outputs, data.coords.n, covariance);
}

Kriging KrigingPredictor::at(Points targets, const NeighborTable& neighbors, bool local_mean, const RunContext& context,
                             const int* target_outputs, double* weights, const double* taper) const {
  if (targets.dim != data_.coords.dim) throw Error("Data and new locations must have the same coordinates.");
  if (neighbors.n != targets.n) throw Error("The table of neighbours must have one row for each new location.");
  check_coordinates(targets);
  check_rows(neighbors.index, -1, data_.coords.n);
  if (local_mean) check_present(neighbors);
  check_outputs(target_outputs, targets.n, covariance_);
  const auto wanted = weights ? ConditionalMoments::Weights::kept : ConditionalMoments::Weights::summed;
  RunContext own = context;
  if (taper) own.backend = nullptr;
  ConditionalMoments moments(data_, LocalTargets(targets, neighbors, target_outputs), wanted, own);
  const Index failed = moments.update(prepared_, own, local_mean, taper);
  if (weights) std::copy(moments.weights().begin(), moments.weights().end(), weights);
  return {data_.columns, moments.weighted(), moments.variance(), failed};
}

Kriging krige(const LocalData& data, Points targets, const NeighborTable& neighbors, const Covariance& covariance,
              bool local_mean, const RunContext& context, const int* target_outputs, double* weights,
              const double* taper) {
  return KrigingPredictor(data, covariance).at(targets, neighbors, local_mean, context, target_outputs, weights, taper);
}

}  // namespace neargp
