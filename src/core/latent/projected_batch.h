// Targets of a latent model on a device, and what the kernel of mean-field terms (conditional/cpu/projected_adjoint.h)
// finds about some of them at a time.
#pragma once

#include <optional>
#include <vector>

#include "conditional/backend.h"
#include "conditional/data.h"

namespace neargp {

// Targets of one kind: nodes (with noise, as their neighbours have), or with coordinates of their own.
struct ProjectionTargets {
  const double* coords = nullptr;  // targets x dim; null: nodes
  const NeighborTable* neighbors = nullptr;
  const double* noise = nullptr;  // of targets that have coordinates; null: the field without noise
};

struct ProjectionNodes {
  const std::vector<double>& coords;   // nodes x dim
  const std::vector<double>& moments;  // nodes x 2: m and s of q
  const std::vector<double>& noise;    // 1 for each node
  int dim;
};

class ProjectedBatch {
 public:
  // The next run is for these rows of the targets. With `locations` their derivatives in coordinates are also found,
  // and nodes may have moved since the last run. All arrays outlive the run.
  void choose(const ProjectionTargets& targets, const std::vector<int>& rows, Index nodes, int dim, bool locations);

  // The run also finds the divergence of the members of conditioning sets (MembersDivergence): on the CPU. To be called
  // after choose().
  void want_divergence(double weight);

  // To be called when neighbours have changed.
  void forget_neighbors() { on_device_.reset(); }

  int size() const { return int(mean.size()); }
  int k() const { return targets_.neighbors->k; }
  const int* members(Index t) const { return (*targets_.neighbors)[(*rows_)[t]]; }

  // Runs the kernel; `differentiate` and `owner` as in ProjectedAdjoint. Returns the gradient in the covariance
  // parameters and the first target whose matrix is singular. The first run decides on which device all are.
  TargetSums run(const ProjectionNodes& nodes, const PreparedCovariance& covariance,
                 void (*differentiate)(void*, Index, Index), void* owner, const RunContext& context);

  // Visits what target t adds to the derivatives in m and log s of the members of its conditioning set.
  template <class Add>
  void for_each_contribution(Index t, const std::vector<double>& moments, const Add& add) const {
    const int* member = members(t);
    if (divergence_weight_ > 0.0) {
      for (Index l = t * k(); l < (t + 1) * k(); ++l, ++member) add(*member, in_mean_[l], in_log_variance_[l]);
      return;
    }
    const double* b = weights.data() + t * k();
    for (int l = 0; l < k() && member[l] >= 0; ++l)
      add(member[l], b[l] * d_mean[t], b[l] * b[l] * d_projected[t] * moments[2 * Index(member[l]) + 1]);
  }
  // The gradient contribution in coordinates: row k is the target.
  const double* location_contribution(Index t, int row, int dim) const {
    return d_locations.data() + (t * (k() + 1) + row) * dim;
  }

  std::vector<double> mean, projected, variance, weights, d_locations;  // found; the weights without a divergence
  std::vector<double> divergence;                                       // found where wanted
  std::vector<double> d_mean, d_projected, d_variance;                  // given by `differentiate`

 private:
  LocalView all_targets(const ProjectionNodes& nodes) const;
  void list_nodes_needed(Index nodes);

  ProjectionTargets targets_;
  const std::vector<int>* rows_ = nullptr;
  double divergence_weight_ = 0.0;
  std::vector<double> in_mean_, in_log_variance_;  // of MembersDivergence
  std::vector<int> needed_;                        // nodes on which the batch depends
  std::vector<char> listed_;
  std::optional<DeviceView> on_device_;
};

}  // namespace neargp
