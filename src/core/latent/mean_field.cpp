#include "latent/mean_field.h"

#include <algorithm>
#include <numeric>

#include "base/error.h"
#include "latent/mean_field_terms.h"
#include "latent/swsgp_neighborhood.h"

namespace neargp {

namespace {

std::vector<int> numbers_below(Index n) {
  std::vector<int> rows(n);
  std::iota(rows.begin(), rows.end(), 0);
  return rows;
}

}  // namespace

MeanField::MeanField(const LatentModel& model, const LatentResponse& response, bool locations, MeanFieldPrior prior,
                     double kl_weight, Index shared)
    : model_(model), response_(response), locations_(locations), sort_of_prior_(prior), kl_weight_(kl_weight),
      shared_(shared), node_neighbors_(model.prior().neighbors()), noise_(model.nodes(), 1.0),
      is_active_(model.nodes(), 0) {
  if (model.data() != response.n()) throw Error("The model and the response must have the same number of data.");
  gradient_.moments.assign(2 * model.nodes(), 0.0);
  gradient_.locations.assign(locations ? model.nodes() * model.dim() : 0, 0.0);
  if (model.interpolates()) {
    data_neighbors_ = model.interpolation().neighbors();
    return;
  }
  if (locations) throw Error("Nodes at the data stay where the data are.");
  if (prior == MeanFieldPrior::neighborhoods) throw Error("Nodes at the data have no neighborhoods of data.");
  data_start_.assign(model.nodes() + 1, 0);
  for (const int node : model.node_of_datum()) ++data_start_[node + 1];
  std::partial_sum(data_start_.begin(), data_start_.end(), data_start_.begin());
  data_at_.resize(model.data());
  std::vector<int> next(data_start_.begin(), data_start_.end() - 1);
  for (Index i = 0; i < model.data(); ++i) data_at_[next[model.node_of_datum()[i]]++] = int(i);
}

MeanFieldBatch MeanField::everything() const { return batch_of(numbers_below(nodes()), numbers_below(data())); }

MeanFieldBatch MeanField::batch_of(std::vector<int> nodes, std::vector<int> data) const {
  const double of_nodes = double(this->nodes()) / double(nodes.size()),
               of_data = double(this->data()) / double(data.size());
  return {std::move(nodes), std::move(data), of_nodes, of_data};
}

MeanFieldBatch MeanField::at_nodes(std::vector<int> nodes) const {
  MeanFieldBatch batch;
  batch.node_weight = batch.data_weight = double(model_.nodes()) / double(nodes.size());
  for (const int node : nodes)
    batch.data.insert(batch.data.end(), data_at_.begin() + data_start_[node], data_at_.begin() + data_start_[node + 1]);
  batch.nodes = std::move(nodes);
  return batch;
}

std::vector<int> MeanField::members(const MeanFieldBatch& batch) const {
  std::vector<int> nodes = batch.nodes;
  const auto add = [&](const NeighborTable& table, const std::vector<int>& rows) {
    for (const int row : rows)
      for (int m = 0; m < table.k && table[row][m] >= 0; ++m) nodes.push_back(table[row][m]);
  };
  if (sort_of_prior_ == MeanFieldPrior::sequential) add(node_neighbors_, batch.nodes);
  if (model_.interpolates()) add(data_neighbors_, batch.data);
  return nodes;
}

const MeanFieldGradient& MeanField::evaluate(const MeanFieldPoint& point, const MeanFieldBatch& batch,
                                             const RunContext& context) {
  forget_last();
  gradient_.likelihood.assign(point.likelihood.parameters.size(), 0.0);
  gradient_.beta.assign(response_.coefficients, 0.0);
  PreparedCovariance covariance = prepare(point.covariance, model_.dim(), true);
  if (covariance.is_local() && (locations_ || shares_nodes() || !point.root.empty()))
    throw Error("Adam with moving or shared inducing points takes no local standard deviations and ranges.");
  if (locations_) keep_slopes(covariance);
  gradient_.covariance.assign(covariance.parameters, 0.0);
  if (shares_nodes() || !point.root.empty()) {
    add_active_sets(point, batch, covariance, context);
  } else if (sort_of_prior_ == MeanFieldPrior::neighborhoods) {
    add_neighborhoods(point, batch, covariance, context);
  } else {
    add_prior(point, batch, covariance, context);
    if (model_.interpolates())
      add_data(point, batch, 0.0, covariance, context);
    else
      add_data_at_nodes(point, batch, context);
  }
  tie_jitter(covariance, point.covariance, gradient_.covariance);
  return gradient_;
}

void MeanField::forget_last() {
  for (const int node : gradient_.active) {
    gradient_.moments[2 * node] = gradient_.moments[2 * node + 1] = 0.0;
    if (locations_) std::fill_n(gradient_.locations.begin() + Index(node) * model_.dim(), model_.dim(), 0.0);
    if (!gradient_.root.empty()) std::fill_n(gradient_.root.begin() + node * nodes(), nodes(), 0.0);
    is_active_[node] = 0;
  }
  gradient_.active.clear();
  gradient_.value = 0.0;
}

void MeanField::touch(int node) {
  if (is_active_[node]) return;
  is_active_[node] = 1;
  gradient_.active.push_back(node);
}

void MeanField::add_prior(const MeanFieldPoint& point, const MeanFieldBatch& batch,
                          const PreparedCovariance& covariance, const RunContext& context) {
  prior_.choose({nullptr, &node_neighbors_}, batch.nodes, model_.nodes(), model_.dim(), locations_);
  add_prior_terms(point, batch.nodes, batch.node_weight, covariance, context);
}

void MeanField::add_neighborhoods(const MeanFieldPoint& point, const MeanFieldBatch& batch,
                                  const PreparedCovariance& covariance, const RunContext& context) {
  constexpr Index most_data = 4096;
  const bool on_cpu = &backend_of(context) == &cpu_backend();
  const double of_sample = batch.data_weight / double(model_.data());
  for (Index first = 0; first < Index(batch.data.size()); first += most_data) {
    const auto begin = batch.data.begin() + first;
    const MeanFieldBatch part{
        {}, {begin, begin + std::min<Index>(most_data, batch.data.end() - begin)}, 0.0, batch.data_weight};
    if (!on_cpu) add_ranks(point, part.data, of_sample, covariance, context);
    add_data(point, part, on_cpu ? kl_weight_ * of_sample : 0.0, covariance, context);
  }
}

// Runs the nearest nodes of all data, then the second nearest given these, and so on. All conditioning sets of a run
// are thus of one size.
void MeanField::add_ranks(const MeanFieldPoint& point, const std::vector<int>& data, double of_sample,
                          const PreparedCovariance& covariance, const RunContext& context) {
  for (int rank = 0; rank < data_neighbors_.k; ++rank) {
    const NeighborsOfRank neighbors(data_neighbors_, data, rank, {point.coords.data(), model_.nodes(), model_.dim()});
    prior_.forget_neighbors();
    prior_.choose(neighbors.targets(), neighbors.rows, model_.nodes(), model_.dim(), locations_);
    add_prior_terms(point, neighbors.nodes, of_sample, covariance, context);
  }
}

// Terms of the targets that are chosen in prior_, each of which is a node.
void MeanField::add_prior_terms(const MeanFieldPoint& point, const std::vector<int>& nodes, double of_sample,
                                const PreparedCovariance& covariance, const RunContext& context) {
  const double weight = kl_weight_ * of_sample;
  PriorTerms terms{prior_, nodes, point.moments, weight, std::vector<double>(nodes.size())};
  add_sums(prior_.run({point.coords, point.moments, noise_, model_.dim()}, covariance, PriorTerms::differentiate,
                      &terms, context));
  for (Index t = 0; t < prior_.size(); ++t) {
    const int node = nodes[t];
    touch(node);
    gradient_.value += weight * terms.value[t];
    gradient_.moments[2 * node] -= prior_.d_mean[t];
    gradient_.moments[2 * node + 1] += prior_.d_projected[t] * point.moments[2 * node + 1] + 0.5 * weight;
    for (int d = 0; locations_ && d < model_.dim(); ++d)
      gradient_.locations[Index(node) * model_.dim() + d] +=
          prior_.location_contribution(t, prior_.k(), model_.dim())[d];
  }
  add_contributions(prior_, point);
}

// With a positive `divergence_weight` this also adds the divergence of the nodes that the data use.
void MeanField::add_data(const MeanFieldPoint& point, const MeanFieldBatch& batch, double divergence_weight,
                         const PreparedCovariance& covariance, const RunContext& context) {
  interpolation_.choose({model_.data_coords().data(), &data_neighbors_}, batch.data, model_.nodes(), model_.dim(),
                        locations_);
  if (divergence_weight > 0.0) interpolation_.want_divergence(divergence_weight);
  DataTerms data(response_, point, batch);
  data.batch = &interpolation_;
  add_sums(interpolation_.run({point.coords, point.moments, noise_, model_.dim()}, covariance, DataTerms::differentiate,
                              &data, context));
  data.add_to(gradient_, response_, batch.data);
  add_contributions(interpolation_, point);
  if (divergence_weight > 0.0)
    for (const double divergence : interpolation_.divergence) gradient_.value += divergence_weight * divergence;
}

void MeanField::add_data_at_nodes(const MeanFieldPoint& point, const MeanFieldBatch& batch, const RunContext& context) {
  DataTerms data(response_, point, batch);
  for (std::size_t t = 0; t < batch.data.size(); ++t) {
    const int node = model_.node_of_datum()[batch.data[t]];
    data.mean[t] = data.trend[t] + point.moments[2 * node];
    data.variance[t] = point.moments[2 * node + 1];
  }
  if (!batch.data.empty()) data.expect(0, Index(batch.data.size()), context);
  for (std::size_t t = 0; t < batch.data.size(); ++t) {
    const int node = model_.node_of_datum()[batch.data[t]];
    touch(node);
    gradient_.moments[2 * node] += batch.data_weight * data.slope[t];
    gradient_.moments[2 * node + 1] -= 0.5 * batch.data_weight * data.curvature[t] * data.variance[t];
  }
  data.add_to(gradient_, response_, batch.data);
}

// Adds the gradient contributions of both kinds of targets to the members of their conditioning sets.
void MeanField::add_contributions(const ProjectedBatch& batch, const MeanFieldPoint& point) {
  const int dim = model_.dim();
  for (Index t = 0; t < batch.size(); ++t) {
    int row = 0;
    batch.for_each_contribution(t, point.moments, [&](int node, double in_mean, double in_log_variance) {
      touch(node);
      gradient_.moments[2 * node] += in_mean;
      gradient_.moments[2 * node + 1] += in_log_variance;
      if (locations_) {
        const double* contribution = batch.location_contribution(t, row, dim);
        for (int d = 0; d < dim; ++d) gradient_.locations[Index(node) * dim + d] += contribution[d];
      }
      ++row;
    });
  }
}

void MeanField::add_sums(const TargetSums& sums) {
  if (sums.failed >= 0)
    throw Error(
        "The covariance matrix of a conditioning set is not positive definite to working precision: raise the jitter.");
  for (std::size_t a = 0; a < sums.sums.size(); ++a) gradient_.covariance[a] += sums.sums[a];
}

void MeanField::renew_neighbors(const MeanFieldPoint& point, const RunContext& context) {
  const PreparedCovariance covariance = prepare(point.covariance, model_.dim(), false);
  const auto& components = covariance.components;
  const PreparedComponent& metric = *std::max_element(
      components.begin(), components.end(), [](const auto& a, const auto& b) { return a.variance < b.variance; });
  const auto scaled = [&](const std::vector<double>& coords) {
    std::vector<double> result(coords.size());
    for (std::size_t at = 0; at < coords.size(); at += model_.dim())
      scale_point(metric, model_.dim(), coords.data() + at, result.data() + at);
    return result;
  };
  const std::vector<double> at_nodes = scaled(point.coords);
  const Points nodes{at_nodes.data(), model_.nodes(), model_.dim()};
  prior_.forget_neighbors();
  interpolation_.forget_neighbors();
  node_neighbors_ = nearest_before(nodes, model_.order(), node_neighbors_.k, context);
  if (!model_.interpolates()) return;
  const std::vector<double> at_data = scaled(model_.data_coords());
  data_neighbors_ = nearest_to(nodes, {at_data.data(), model_.data(), model_.dim()}, data_neighbors_.k, context);
}

}  // namespace neargp
