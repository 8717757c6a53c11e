#include "latent/projected_batch.h"

namespace neargp {

void ProjectedBatch::choose(const ProjectionTargets& targets, const std::vector<int>& rows, Index nodes, int dim,
                            bool locations) {
  targets_ = targets;
  rows_ = &rows;
  divergence_weight_ = 0.0;
  const Index n = Index(rows.size());
  for (auto* array : {&mean, &projected, &variance, &d_mean, &d_projected, &d_variance}) array->resize(n);
  weights.resize(n * k());
  d_locations.resize(locations ? n * (k() + 1) * dim : 0);
  list_nodes_needed(nodes);
}

void ProjectedBatch::want_divergence(double weight) {
  divergence_weight_ = weight;
  divergence.resize(size());
  for (auto* array : {&in_mean_, &in_log_variance_}) array->resize(Index(size()) * k());
}

void ProjectedBatch::list_nodes_needed(Index nodes) {
  for (const int node : needed_) listed_[node] = 0;
  listed_.resize(nodes, 0);
  needed_.clear();
  const auto list = [&](int node) {
    if (!listed_[node]) needed_.push_back(node);
    listed_[node] = 1;
  };
  for (Index t = 0; t < size(); ++t) {
    if (!targets_.coords) list((*rows_)[t]);
    for (int l = 0; l < k() && members(t)[l] >= 0; ++l) list(members(t)[l]);
  }
}

LocalView ProjectedBatch::all_targets(const ProjectionNodes& nodes) const {
  const Points points{nodes.coords.data(), Index(nodes.noise.size()), nodes.dim};
  const Points at{targets_.coords ? targets_.coords : points.data, targets_.neighbors->n, nodes.dim};
  LocalTargets targets(at, *targets_.neighbors);
  targets.noise_scale = targets_.coords ? targets_.noise : nodes.noise.data();
  return view_of({points, 2, nodes.moments.data(), nodes.noise.data()}, targets);
}

TargetSums ProjectedBatch::run(const ProjectionNodes& nodes, const PreparedCovariance& covariance,
                               void (*differentiate)(void*, Index, Index), void* owner, const RunContext& context) {
  LocalView view = all_targets(nodes);
  if (!on_device_) on_device_.emplace(backend_of(context), view);
  view.targets = size();
  view.chosen = rows_->data();
  on_device_->set_batch(view, {needed_.data(), Index(needed_.size()), !d_locations.empty()});

  ProjectedAdjoint operation;
  operation.mean = mean.data();
  operation.projected = projected.data();
  operation.variance = variance.data();
  operation.weights = weights.data();
  operation.d_locations = d_locations.empty() ? nullptr : d_locations.data();
  operation.differentiate = differentiate;
  operation.context = owner;
  operation.d_mean = d_mean.data();
  operation.d_projected = d_projected.data();
  operation.d_variance = d_variance.data();
  operation.divergence = {divergence_weight_, divergence.data(), in_mean_.data(), in_log_variance_.data()};
  return on_device_->run(operation, covariance, context);
}

}  // namespace neargp
