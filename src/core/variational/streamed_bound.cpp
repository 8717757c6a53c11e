#include "variational/streamed_bound.h"

#include "base/error.h"

namespace neargp {

namespace {

const Covariance& with_noise(const Covariance& covariance) {
  if (!(covariance.nugget > 0.0)) throw Error("A bound on inducing points needs noise: a nugget above zero.");
  return covariance;
}

}  // namespace

StreamedBound::StreamedBound(const StreamedRows& rows, Points inducing, const Covariance& covariance,
                             const BoundSettings& settings)
    : covariance_(with_noise(covariance)), derivatives_(rows.derivatives),
      prepared_(prepare(covariance_, inducing.dim, rows.derivatives)), points_(prepared_, inducing),
      factor_(points_, settings.jitter, rows.derivatives),
      passes_(factor_, rows.n, rows.columns, settings, rows.derivatives && rows.keep_features, rows.dense) {}

CollapsedBound StreamedBound::value() {
  if (!regular()) return failed_bound(BoundFailure::prior);
  CollapsedBound bound = passes_.value();
  if (derivatives_ && bound.failure == BoundFailure::none) passes_.begin_gradient(bound);
  return bound;
}

InducingGradient StreamedBound::gradient() const {
  InducingGradient gradient = passes_.gradient();
  gradient.parameters = active_part(std::move(gradient.parameters), covariance_);
  return gradient;
}

}  // namespace neargp
