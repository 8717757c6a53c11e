// Some targets of a latent model, gathered for the kernel of mean-field terms (local/projected_adjoint.h), and what it
// finds about them.
#pragma once

#include <vector>

#include "backend/backend.h"
#include "geometry/neighbors.h"

namespace neargp {

// Targets of one kind: nodes (with noise, as their neighbours have) or data.
struct ProjectionTargets {
  const double* coords = nullptr;  // targets x dim
  const NeighborTable* neighbors = nullptr;
  bool are_nodes = false;
};

struct ProjectionNodes {
  const std::vector<double>& coords;   // nodes x dim
  const std::vector<double>& moments;  // nodes x 2: m and s of q
  const std::vector<double>& noise;    // 1 for each node
  int dim;
};

class ProjectedBatch {
 public:
  // The targets `rows`. With `locations` their derivatives in coordinates are found, too.
  void gather(const ProjectionTargets& targets, const std::vector<int>& rows, int dim, bool locations);

  int size() const { return int(mean.size()); }
  int k() const { return k_; }
  const int* members(Index t) const { return neighbors_.data() + t * k_; }

  // Runs the kernel; `differentiate` and `owner` as in ProjectedTerms. Returns the gradient in the covariance parameters
  // and the first target whose matrix is singular.
  TargetSums run(const ProjectionNodes& nodes, const PreparedCovariance& covariance,
                 void (*differentiate)(void*, Index, Index), void* owner, const RunContext& context);

  // What target t adds to the derivatives in m and s of the members of its conditioning set.
  template <class Add>
  void for_each_pull(Index t, const Add& add) const {
    const int* member = members(t);
    const double* b = weights.data() + t * k_;
    for (int l = 0; l < k_ && member[l] >= 0; ++l) add(member[l], b[l] * d_mean[t], b[l] * b[l] * d_spread[t]);
  }
  // By coordinates: row k is the target.
  const double* location_pull(Index t, int row, int dim) const { return d_locations.data() + (t * (k_ + 1) + row) * dim; }

  std::vector<double> mean, spread, variance, weights, d_locations;  // found
  std::vector<double> d_mean, d_spread, d_variance;                  // given by `differentiate`

 private:
  int k_ = 0;
  bool are_nodes_ = false;
  std::vector<int> neighbors_;
  std::vector<double> coords_, noise_;
};

}  // namespace neargp
