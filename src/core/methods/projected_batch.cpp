#include "methods/projected_batch.h"

#include <algorithm>

namespace neargp {

void ProjectedBatch::gather(const ProjectionTargets& targets, const std::vector<int>& rows, int dim, bool locations) {
  const Index n = Index(rows.size());
  k_ = targets.neighbors->k;
  are_nodes_ = targets.are_nodes;
  neighbors_.resize(n * k_);
  coords_.resize(n * dim);
  noise_.assign(n, 1.0);
  for (Index t = 0; t < n; ++t) {
    std::copy_n((*targets.neighbors)[rows[t]], k_, neighbors_.begin() + t * k_);
    std::copy_n(targets.coords + Index(rows[t]) * dim, dim, coords_.begin() + t * dim);
  }
  for (auto* array : {&mean, &spread, &variance, &d_mean, &d_spread, &d_variance}) array->resize(n);
  weights.resize(n * k_);
  d_locations.resize(locations ? n * (k_ + 1) * dim : 0);
}

TargetSums ProjectedBatch::run(const ProjectionNodes& nodes, const PreparedCovariance& covariance,
                               void (*differentiate)(void*, Index, Index), void* owner, const RunContext& context) {
  LocalView view;
  view.dim = nodes.dim;
  view.k = k_;
  view.columns = 2;
  view.coords = nodes.coords.data();
  view.values = nodes.moments.data();
  view.noise_scale = nodes.noise.data();
  view.targets = size();
  view.target_coords = coords_.data();
  view.target_noise_scale = are_nodes_ ? noise_.data() : nullptr;
  view.neighbors = neighbors_.data();

  ProjectedTerms terms;
  terms.mean = mean.data();
  terms.spread = spread.data();
  terms.variance = variance.data();
  terms.weights = weights.data();
  terms.d_locations = d_locations.empty() ? nullptr : d_locations.data();
  terms.differentiate = differentiate;
  terms.context = owner;
  terms.d_mean = d_mean.data();
  terms.d_spread = d_spread.data();
  terms.d_variance = d_variance.data();
  return DeviceView(backend_of(context), view).projected_adjoint(covariance, terms, context);
}

}  // namespace neargp
