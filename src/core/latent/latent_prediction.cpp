#include "latent/latent_prediction.h"

#include <algorithm>
#include <cmath>

#include "linalg/products.h"
#include "parallel/parallel_for.h"
#include "random/philox.h"

namespace neargp {

namespace {

constexpr Index locations_per_chunk = 64;

// `first`: the first of the normals that are left.
void add_low_rank_draw(const LowRankFactor& factor, const Philox& random, Index first, std::vector<double>& field,
                       double* whitened) {
  Eigen::VectorXd x(factor.lower().rows());
  for (Index c = 0; c < x.size(); ++c) x[c] = random.normal(std::uint64_t(first + c));
  Eigen::Map<Eigen::VectorXd>(field.data(), Index(field.size())) += factor.spread().transpose() * x;
  lower_transposed_solve(factor.lower(), x);
  std::copy_n(x.data(), x.size(), whitened);
}

}  // namespace

LatentPrediction predict_latent(const LatentModel& model, const SparsePosterior& posterior, Points locations,
                                const NeighborTable& neighbors, const std::vector<double>& field_response, int columns,
                                Workspaces& workspaces, const RunContext& context) {
  const NodeConditionals at = model.conditionals_at(locations, neighbors, context);
  const Index n = at.targets();
  LatentPrediction result{std::vector<double>(n), std::vector<double>(n), std::vector<double>(n * columns)};
  const Index chunks = (n + locations_per_chunk - 1) / locations_per_chunk;
  const auto predict = [&](Index t, Workspace& workspace) {
    const int* member = at.neighbors()[t];
    const double* b = at.weights(t);
    const int count = int(std::find(member, member + at.k(), -1) - member);
    for (int m = 0; m < count; ++m) {
      result.mean[t] += b[m] * posterior.state().mean[member[m]];
      for (int c = 0; c < columns; ++c)
        result.response[c * n + t] += b[m] * field_response[c * model.nodes() + member[m]];
    }
    result.variance[t] =
        at.variance()[t] + posterior.factor().factor().inverse_quadratic_form(member, b, count, workspace);
  };
  parallel_for(context, chunks, [&](Index chunk) {
    workspaces.lend([&](Workspace& workspace) {
      for (Index t = chunk * locations_per_chunk; t < std::min(n, (chunk + 1) * locations_per_chunk); ++t)
        predict(t, workspace);
    });
  });
  return result;
}

LatentDraws draw_latent(const LatentModel& model, const SparsePosterior& posterior, int draws, std::uint64_t key,
                        const RunContext& context) {
  const Index m = model.nodes(), n = model.data();
  const int width = model.prior().k() + 1;
  const Index inducing = model.low_rank() ? model.low_rank()->size() : 0;
  LatentDraws result{std::vector<double>(draws * m), std::vector<double>(draws * inducing)};
  const RunContext serial;
  parallel_for(context, draws, [&](Index draw) {
    const Philox random(key, std::uint64_t(draw));
    std::vector<double> by_datum(n), h(m);
    for (Index i = 0; i < n; ++i)
      by_datum[i] = std::sqrt(std::max(posterior.state().precision[i], 0.0)) * random.normal(std::uint64_t(m + i));
    model.sum_at_nodes(by_datum.data(), h.data());
    for (Index j = 0; j < m; ++j) {
      const int* member = model.prior_members().data() + j * width;
      const double* a = model.prior_vectors().data() + j * width;
      const double x = random.normal(std::uint64_t(j)) * std::sqrt(model.prior_scale()[j]);
      for (int e = 0; e < width && member[e] >= 0; ++e) h[member[e]] += a[e] * x;
    }
    std::vector<double> column = posterior.factor().solve_residual(h, 1e-10, serial);
    if (inducing > 0)
      add_low_rank_draw(posterior.factor().low_rank(), random, m + n, column, result.whitened.data() + draw * inducing);
    std::copy(column.begin(), column.end(), result.field.begin() + draw * m);
  });
  return result;
}

}  // namespace neargp
