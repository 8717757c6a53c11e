// The fused kernel of mean-field terms: what it finds against the kernel of weights, its gradients in covariance
// parameters, values and locations against differences of a functional of those weights.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "conditional/backend.h"
#include "core_fixtures.h"

using namespace neargp;
using namespace fixtures;

namespace {

// Some smooth term of each target, and its derivatives.
struct Term {
  double value, d_mean, d_projected, d_variance;
};

Term term_of(Index target, double mean, double projected, double f) {
  const double a = 0.5 + 0.1 * double(target % 7), c = 1.0 + 0.2 * double(target % 3);
  return {std::sin(a * mean) + a * mean * projected + c * std::log(0.3 + f) + c * projected * f,
          a * std::cos(a * mean) + a * projected, a * mean + c * f, c / (0.3 + f) + c * projected};
}

// Targets are every other node, conditioned on any nodes: rows of the conditioning sets may be absent.
struct Problem {
  int dim;
  std::vector<double> coords, noise_scale, values, target_coords;
  NeighborTable neighbors;

  Problem(int dim_, int k) : dim(dim_) {
    const Cloud cloud = uniform_cloud(31, dim, 3);
    const Philox random(8);
    coords = cloud.coords;
    noise_scale.assign(31, 1.0);
    for (int i = 0; i < 31; ++i) {
      values.push_back(random.normal(i));
      values.push_back(0.2 + random.uniform(100 + i));
    }
    const NeighborTable all = nearest_before(cloud.view(), shuffled(31), k, with_threads(1));
    neighbors = NeighborTable(15, k);
    for (int t = 0; t < 15; ++t) {
      std::copy_n(all[2 * t], k, neighbors[t]);
      for (int d = 0; d < dim; ++d) target_coords.push_back(coords[2 * t * dim + d] + 0.01 * (d + 1));
    }
  }

  LocalView view() const {
    LocalView view;
    view.dim = dim;
    view.k = neighbors.k;
    view.columns = 2;
    view.coords = coords.data();
    view.values = values.data();
    view.noise_scale = noise_scale.data();
    view.targets = neighbors.n;
    view.target_coords = target_coords.data();
    view.neighbors = neighbors.index.data();
    return view;
  }

  PreparedCovariance prepared(const Covariance& covariance) const { return prepare(covariance, dim, false); }

  double functional(const PreparedCovariance& prepared) const {
    const RunContext context;
    const Index targets = neighbors.n;
    const int k = neighbors.k;
    std::vector<double> b(targets * k), f(targets);
    LocalView weights_view = view();
    weights_view.columns = 0;
    CHECK(DeviceView(backend_of(context), weights_view)
              .run(ConditionalWeights{false, nullptr, f.data(), b.data()}, prepared, context)
              .failed == -1);
    double sum = 0.0;
    for (Index t = 0; t < targets; ++t) {
      double mean = 0.0, projected = 0.0;
      for (int l = 0; l < k; ++l) {
        const int node = neighbors[t][l];
        if (node < 0) continue;
        mean += b[t * k + l] * values[2 * node];
        projected += b[t * k + l] * b[t * k + l] * values[2 * node + 1];
      }
      sum += term_of(t, mean, projected, f[t]).value;
    }
    return sum;
  }
};

struct Derivatives {
  std::vector<double> mean, projected, variance, weights, d_mean, d_projected, d_variance, d_locations, parameters;

  Derivatives(const Problem& problem, const Covariance& covariance, bool locations, const RunContext& context) {
    const LocalView view = problem.view();
    PreparedCovariance prepared = prepare(covariance, problem.dim, true);
    if (locations) keep_slopes(prepared);
    for (auto* array : {&mean, &projected, &variance, &d_mean, &d_projected, &d_variance}) array->resize(view.targets);
    weights.resize(view.targets * view.k);
    if (locations) d_locations.resize(view.targets * (view.k + 1) * view.dim);
    ProjectedAdjoint terms;
    terms.mean = mean.data();
    terms.projected = projected.data();
    terms.variance = variance.data();
    terms.weights = weights.data();
    terms.d_locations = locations ? d_locations.data() : nullptr;
    terms.context = this;
    terms.differentiate = [](void* self, Index first, Index last) {
      Derivatives& d = *static_cast<Derivatives*>(self);
      for (Index t = first; t < last; ++t) {
        const Term term = term_of(t, d.mean[t], d.projected[t], d.variance[t]);
        d.d_mean[t] = term.d_mean;
        d.d_projected[t] = term.d_projected;
        d.d_variance[t] = term.d_variance;
      }
    };
    terms.d_mean = d_mean.data();
    terms.d_projected = d_projected.data();
    terms.d_variance = d_variance.data();
    const TargetSums sums = DeviceView(backend_of(context), view).run(terms, prepared, context);
    CHECK(sums.failed == -1);
    parameters = sums.sums;
  }
};

double slope_in(double& x, const std::function<double()>& value) {
  const double h = 1e-6, at = x;
  x = at + h;
  const double up = value();
  x = at - h;
  const double down = value();
  x = at;
  return (up - down) / (2.0 * h);
}

// The core's parameters, on the scale in which they are differentiated.
std::vector<std::pair<double*, bool>> parameters_of(Covariance& covariance) {
  std::vector<std::pair<double*, bool>> all;
  for (Component& component : covariance.components) {
    all.push_back({&component.variance, true});
    for (double& range : component.range) all.push_back({&range, true});
    for (double& axis : component.anisotropy) all.push_back({&axis, false});
    if (component.has_shape()) all.push_back({&component.shape, false});
  }
  all.push_back({&covariance.nugget, true});
  return all;
}

// Differences of the functional, for each parameter that is active, each node and each target.
struct Slopes {
  std::vector<double> parameters, nodes, targets;

  Slopes(Problem& problem, Covariance& covariance) {
    const auto all = parameters_of(covariance);
    for (int a = 0; a < int(all.size()); ++a) {
      double& x = *all[a].first;
      const auto value = [&] { return problem.functional(problem.prepared(covariance)); };
      parameters.push_back(covariance.is_active(a) ? slope_in(x, value) * (all[a].second ? x : 1.0) : 0.0);
    }
    const PreparedCovariance prepared = problem.prepared(covariance);
    const auto value = [&] { return problem.functional(prepared); };
    for (double& x : problem.coords) nodes.push_back(slope_in(x, value));
    for (double& x : problem.target_coords) targets.push_back(slope_in(x, value));
  }
};

// Relative to the largest entry, or to 1.
double largest_difference(const std::vector<double>& x, const std::vector<double>& y) {
  return difference(Eigen::Map<const Eigen::VectorXd>(x.data(), x.size()),
                    Eigen::Map<const Eigen::VectorXd>(y.data(), y.size()));
}

}  // namespace

TEST_CASE("gradients of mean-field terms in parameters and locations are those of differences") {
  const RunContext context;
  for (const Model& model : all_models()) {
    CAPTURE(model.name);
    Problem problem(model.dim, 6);
    Covariance covariance = model.covariance;
    const Slopes expected(problem, covariance);
    with_each_instruction_set([&] {
      const Derivatives found(problem, covariance, true, context);
      for (int a = 0; a < covariance.parameters(); ++a) {
        if (!covariance.is_active(a)) continue;
        CAPTURE(a);
        CHECK(found.parameters[a] == doctest::Approx(expected.parameters[a]).epsilon(1e-5));
      }
      std::vector<double> nodes(problem.coords.size(), 0.0), targets(problem.target_coords.size());
      const int k = problem.neighbors.k, dim = problem.dim;
      for (Index t = 0; t < problem.neighbors.n; ++t) {
        const double* contribution = found.d_locations.data() + t * (k + 1) * dim;
        for (int l = 0; l < k && problem.neighbors[t][l] >= 0; ++l)
          for (int d = 0; d < dim; ++d) nodes[problem.neighbors[t][l] * dim + d] += contribution[l * dim + d];
        std::copy_n(contribution + k * dim, dim, targets.begin() + t * dim);
      }
      CHECK(largest_difference(nodes, expected.nodes) < 1e-6);
      CHECK(largest_difference(targets, expected.targets) < 1e-6);
    });
  }
}

TEST_CASE("derivatives in locations change nothing else, and fixed ranges do not hinder them") {
  const RunContext context;
  const Problem problem(2, 6);
  Covariance covariance = families()[1].covariance;
  const Derivatives without(problem, covariance, false, context), with(problem, covariance, true, context);
  for (int a = 0; a < covariance.parameters(); ++a)
    CHECK(with.parameters[a] == doctest::Approx(without.parameters[a]).epsilon(1e-12));
  CHECK(with.weights == without.weights);
  covariance.active.assign(covariance.parameters(), 0);
  const Derivatives fixed(problem, covariance, true, context);
  for (std::size_t e = 0; e < fixed.d_locations.size(); ++e)
    CHECK(fixed.d_locations[e] == doctest::Approx(with.d_locations[e]).epsilon(1e-12));
}
