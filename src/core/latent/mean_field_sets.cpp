// The mean-field objective by sets of active nodes.
#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "latent/active_sets.h"
#include "latent/mean_field.h"
#include "parallel/parallel_for.h"

namespace neargp {

// With a set for each datum the paper's sum over the data contains 1/n of each divergence. With a set for each batch
// the sum over batches contains all of each.
void MeanField::add_active_sets(const MeanFieldPoint& point, const MeanFieldBatch& batch,
                                const PreparedCovariance& covariance, const RunContext& context) {
  if (sort_of_prior_ != MeanFieldPrior::neighborhoods) throw Error("Only data with neighborhoods see active nodes.");
  constexpr Index most_sets = 256;
  if (gradient_.root.size() != point.root.size()) gradient_.root.assign(point.root.size(), 0.0);
  const NodePosterior posterior(point.moments, point.root);
  const std::vector<ActiveSet> all = shares_nodes()
                                         ? std::vector<ActiveSet>{shared_set(data_neighbors_, batch.data, shared_)}
                                         : own_sets(data_neighbors_, batch.data);
  const double weight = kl_weight_ * (shares_nodes() ? 1.0 : batch.data_weight / double(data()));
  DataTerms terms(response_, point, batch);
  for (Index first = 0; first < Index(all.size()); first += most_sets) {
    const std::vector<ActiveSet> sets(all.begin() + first,
                                      all.begin() + std::min(first + most_sets, Index(all.size())));
    std::vector<ActiveSetGradient> found(sets.size());
    parallel_for(context, Index(sets.size()), [&](Index t) {
      found[t] = differentiate(sets[t], posterior, covariance, model_.jitter(), point.coords, model_.data_coords(),
                               batch.data, weight, terms);
    });
    add_sets(sets, found, weight);
    if (!posterior.is_diagonal()) add_roots(sets, found, point, posterior, context);
  }
  terms.add_to(gradient_, response_, batch.data);
}

void MeanField::add_sets(const std::vector<ActiveSet>& sets, const std::vector<ActiveSetGradient>& found,
                         double weight) {
  const int dim = model_.dim();
  for (std::size_t t = 0; t < sets.size(); ++t) {
    gradient_.value -= weight * found[t].divergence;
    for (std::size_t a = 0; a < gradient_.covariance.size(); ++a)
      gradient_.covariance[a] += found[t].prior.parameters[a];
    for (std::size_t j = 0; j < sets[t].nodes.size(); ++j) {
      const Index node = sets[t].nodes[j];
      touch(int(node));
      gradient_.moments[2 * node] += found[t].mean[j];
      gradient_.moments[2 * node + 1] += found[t].log_scale[j];
      for (int d = 0; locations_ && d < dim; ++d) gradient_.locations[node * dim + d] += found[t].prior.positions(j, d);
    }
  }
}

// The derivatives in r_jl, l < j: s_j^1/2 times those in R_jl, which are 2 sum_b dS_jb R_bl over the nodes b of the
// set.
void MeanField::add_roots(const std::vector<ActiveSet>& sets, const std::vector<ActiveSetGradient>& found,
                          const MeanFieldPoint& point, const NodePosterior& posterior, const RunContext& context) {
  constexpr Index block = 64;
  const Index all = nodes();
  parallel_for(context, (all + block - 1) / block, [&](Index part) {
    const Index first = part * block, columns = std::min(block, all - first);
    for (std::size_t t = 0; t < sets.size(); ++t) {
      const std::vector<int>& own = sets[t].nodes;
      const Eigen::MatrixXd in_root = posterior.root_rows(own, first, columns) * (2.0 * found[t].covariance);
      for (std::size_t j = 0; j < own.size(); ++j) {
        const Index node = own[j], below = std::min(columns, node - first);
        const double scale = std::sqrt(point.moments[2 * node + 1]);
        for (Index l = 0; l < below; ++l) gradient_.root[node * all + first + l] += scale * in_root(l, Index(j));
      }
    }
  });
}

}  // namespace neargp
