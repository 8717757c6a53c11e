#include "latent/field_prediction.h"

#include <algorithm>

#include "parallel/parallel_for.h"

namespace neargp {

namespace {

constexpr Index targets_per_chunk = 64;

// The nodes of one field near a location, and their weights.
struct NearNodes {
  std::vector<int> node;
  std::vector<double> weight;
};

NearNodes joined(NearNodes a, const NearNodes& b) {
  a.node.insert(a.node.end(), b.node.begin(), b.node.end());
  a.weight.insert(a.weight.end(), b.weight.begin(), b.weight.end());
  return a;
}

class FieldPredictor {
 public:
  FieldPredictor(const LatentModel& model, const SparsePosterior& posterior, Points locations,
                 const NeighborTable& neighbors, const RunContext& context)
      : model_(model), posterior_(posterior) {
    for (int s = 0; s < model.loadings()->structures(); ++s)
      given_.push_back(model.conditionals_at(locations, neighbors, context, s));
  }

  Index locations() const { return given_[0].targets(); }

  void predict(Index t, const std::vector<double>& field_response, int columns, Workspace& workspace,
               FieldPrediction& result) const {
    const Index n = locations();
    const int fields = model_.fields();
    std::vector<NearNodes> near;
    near.reserve(std::size_t(fields));
    for (int q = 0; q < fields; ++q) near.push_back(near_nodes(q, t));
    for (int q = 0; q < fields; ++q) {
      const NearNodes& own = near[q];
      double* mean = result.mean.data() + q * n + t;
      for (std::size_t m = 0; m < own.node.size(); ++m) {
        *mean += own.weight[m] * posterior_.state().mean[own.node[m]];
        for (int c = 0; c < columns; ++c)
          result.response[(c * fields + q) * n + t] += own.weight[m] * field_response[c * model_.nodes() + own.node[m]];
      }
    }
    // b_q'Z b_r is half of what the form of both together has more than that of each.
    const auto covariance = [&](int q, int r) -> double& { return result.covariance[(r * fields + q) * n + t]; };
    for (int q = 0; q < fields; ++q) covariance(q, q) = form(near[q], workspace);
    for (int q = 0; q < fields; ++q)
      for (int r = 0; r < q; ++r)
        covariance(q, r) = covariance(r, q) =
            0.5 * (form(joined(near[q], near[r]), workspace) - covariance(q, q) - covariance(r, r));
    for (int q = 0; q < fields; ++q) covariance(q, q) += given(q).variance()[t];
  }

 private:
  const NodeConditionals& given(int field) const { return given_[model_.loadings()->structure_of_field()[field]]; }

  NearNodes near_nodes(int field, Index t) const {
    const NodeConditionals& at = given(field);
    NearNodes near;
    for (int m = 0; m < at.k() && at.neighbors()[t][m] >= 0; ++m) {
      near.node.push_back(int(field * model_.places()) + at.neighbors()[t][m]);
      near.weight.push_back(at.weights(t)[m]);
    }
    return near;
  }

  double form(const NearNodes& near, Workspace& workspace) const {
    return posterior_.factor().factor().inverse_quadratic_form(near.node.data(), near.weight.data(),
                                                               int(near.node.size()), workspace);
  }

  const LatentModel& model_;
  const SparsePosterior& posterior_;
  std::vector<NodeConditionals> given_;
};

}  // namespace

FieldPrediction predict_fields(const LatentModel& model, const SparsePosterior& posterior, Points locations,
                               const NeighborTable& neighbors, const std::vector<double>& field_response, int columns,
                               Workspaces& workspaces, const RunContext& context) {
  const FieldPredictor predictor(model, posterior, locations, neighbors, context);
  const std::size_t n = std::size_t(predictor.locations()), fields = std::size_t(model.fields());
  FieldPrediction result{std::vector<double>(n * fields), std::vector<double>(n * fields * fields),
                         std::vector<double>(n * fields * std::size_t(columns))};
  const Index chunks = (predictor.locations() + targets_per_chunk - 1) / targets_per_chunk;
  parallel_for(context, chunks, [&](Index chunk) {
    workspaces.lend([&](Workspace& workspace) {
      const Index last = std::min(predictor.locations(), (chunk + 1) * targets_per_chunk);
      for (Index t = chunk * targets_per_chunk; t < last; ++t)
        predictor.predict(t, field_response, columns, workspace, result);
    });
  });
  return result;
}

std::vector<double> field_means(const LatentModel& model, const std::vector<Covariance>& structures, Points locations,
                                const NeighborTable& neighbors, const std::vector<double>& mean,
                                const RunContext& context) {
  const Index n = locations.n;
  std::vector<double> result(std::size_t(n) * model.fields(), 0.0);
  std::vector<NodeConditionals> given;
  given.reserve(structures.size());
  for (const Covariance& structure : structures)
    given.push_back(model.conditionals_at(locations, neighbors, context, structure));
  for (int q = 0; q < model.fields(); ++q) {
    const NodeConditionals& at = given[model.loadings()->structure_of_field()[q]];
    for (Index t = 0; t < n; ++t)
      for (int m = 0; m < at.k() && at.neighbors()[t][m] >= 0; ++m)
        result[q * n + t] += at.weights(t)[m] * mean[q * model.places() + at.neighbors()[t][m]];
  }
  return result;
}

}  // namespace neargp
