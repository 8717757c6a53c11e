#include "latent/node_groups.h"

#include "base/error.h"
#include "conditional/data.h"
#include "parallel/parallel_for.h"

namespace neargp {

namespace {

// The nodes of all groups in the model's numbering. The low-rank part of a posterior is not in its sparse factor.
std::vector<int> own_nodes(const LatentModel& model, const NodeGroups& groups) {
  if (model.low_rank()) throw Error("Groups of nodes are for models without a low-rank part.");
  if (groups.start.empty() || groups.start.back() != Index(groups.node.size()))
    throw Error("The sizes of the groups must add up to the number of their nodes.");
  check_rows(groups.node, 0, model.nodes());
  std::vector<int> nodes;
  nodes.reserve(groups.node.size());
  for (const int node : groups.node) nodes.push_back(model.node_number()[node]);
  return nodes;
}

}  // namespace

std::vector<double> group_variances(const LatentModel& model, const PosteriorFactor& posterior,
                                    const NodeGroups& groups, const std::vector<double>& weights,
                                    Workspaces& workspaces, const RunContext& context) {
  const std::vector<int> nodes = own_nodes(model, groups);
  if (weights.size() != nodes.size()) throw Error("There must be a weight for each node of a group.");
  std::vector<double> variances(groups.count());
  parallel_for(context, groups.count(), [&](Index group) {
    const Index first = groups.start[group];
    workspaces.lend([&](Workspace& workspace) {
      variances[group] = posterior.factor().inverse_quadratic_form(nodes.data() + first, weights.data() + first,
                                                                   groups.size(group), workspace);
    });
  });
  return variances;
}

std::vector<double> group_covariances(const LatentModel& model, const PosteriorFactor& posterior,
                                      const NodeGroups& groups, Workspaces& workspaces, const RunContext& context) {
  const std::vector<int> nodes = own_nodes(model, groups);
  std::vector<Index> place(groups.count() + 1, 0);
  for (Index group = 0; group < groups.count(); ++group)
    place[group + 1] = place[group] + Index(groups.size(group)) * groups.size(group);
  std::vector<double> blocks(place.back());
  parallel_for(context, groups.count(), [&](Index group) {
    workspaces.lend([&](Workspace& workspace) {
      posterior.factor().inverse_block(nodes.data() + groups.start[group], groups.size(group),
                                       blocks.data() + place[group], workspace);
    });
  });
  return blocks;
}

}  // namespace neargp
