#include "loo/pseudo_observations.h"

#include <utility>

#include "base/error.h"

namespace neargp {

PseudoObservations::PseudoObservations(const LocalData& data, Points targets, NeighborTable neighbors)
    : dim_(data.coords.dim), columns_(data.columns),
      coords_(data.coords.data, data.coords.data + data.coords.n * data.coords.dim),
      values_(data.values, data.values + data.coords.n * data.columns),
      noise_scale_(data.noise_scale, data.noise_scale + data.coords.n),
      target_coords_(targets.data, targets.data + targets.n * targets.dim), neighbors_(std::move(neighbors)) {
  if (targets.dim != dim_) throw Error("Pseudo-observations and targets must have the same coordinates.");
  if (neighbors_.n != targets.n) throw Error("The table of neighbours must have one row for each target.");
  check_coordinates(data.coords);
  check_coordinates(targets);
  check_rows(neighbors_.index, -1, data.coords.n);
}

ConditionalMoments& PseudoObservations::open(Index first, Index last, const RunContext& context) const {
  if (first < 0 || last > targets() || first >= last) throw Error("There are no such targets.");
  return open_.get(first, last, context, [&] {
    const Points points{coords_.data(), Index(noise_scale_.size()), dim_};
    const Points targets{target_coords_.data() + first * dim_, last - first, dim_};
    return ConditionalMoments({points, columns_, values_.data(), noise_scale_.data()},
                              {targets, neighbors_.k, neighbors_[first]}, ConditionalMoments::Weights::summed, context);
  });
}

PseudoObservationMoments PseudoObservations::moments(Index first, Index last, const Covariance& covariance,
                                                     const RunContext& context) const {
  ConditionalMoments& moments = open(first, last, context);
  const Index failed = moments.update(prepare(covariance, dim_, false), context);
  return {moments.weighted(), moments.variance(), failed < 0 ? failed : first + failed};
}

std::vector<double> PseudoObservations::adjoint(Index first, Index last, const Covariance& covariance,
                                                const PseudoObservationMoments& bar, const RunContext& context) const {
  const std::vector<double> gradient =
      open(first, last, context)
          .adjoint(prepare(covariance, dim_, true), {nullptr, bar.variance.data(), nullptr, bar.weighted.data()},
                   context);
  return active_part(gradient, covariance);
}

}  // namespace neargp
