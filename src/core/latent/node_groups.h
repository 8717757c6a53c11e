// Groups of nodes of a latent model, for example the points that cover an area. The factor of the posterior's precision
// alone gives the posterior covariance of the field within each group. With an incomplete factor that includes its
// errors. All numbers are by the caller's nodes.
#pragma once

#include <vector>

#include "latent/latent_model.h"
#include "latent/posterior_factor.h"

namespace neargp {

struct NodeGroups {
  std::vector<Index> start;  // of each group among the nodes, and their number
  std::vector<int> node;     // distinct within a group

  Index count() const { return Index(start.size()) - 1; }
  int size(Index group) const { return int(start[group + 1] - start[group]); }
};

// The variance of a weighted sum of the field at the nodes of each group; a weight for each of the nodes.
std::vector<double> group_variances(const LatentModel& model, const PosteriorFactor& posterior,
                                    const NodeGroups& groups, const std::vector<double>& weights,
                                    Workspaces& workspaces, const RunContext& context);

// The covariance matrices of the field at the nodes of each group, one after the other.
std::vector<double> group_covariances(const LatentModel& model, const PosteriorFactor& posterior,
                                      const NodeGroups& groups, Workspaces& workspaces, const RunContext& context);

}  // namespace neargp
