// The adjoint of weights and variances: the gradient of a fixed linear functional of them against differences of it.
#include <doctest/doctest.h>

#include <cmath>

#include "conditional/backend.h"
#include "core_fixtures.h"

using namespace neargp;
using namespace fixtures;

namespace {

LocalView latent_view(const Data& data, const NeighborTable& neighbors) {
  LocalView view;
  view.dim = data.cloud.dim;
  view.k = neighbors.k;
  view.coords = data.cloud.coords.data();
  view.noise_scale = data.noise_scale.data();
  view.targets = neighbors.n;
  view.target_coords = view.coords;
  view.target_noise_scale = view.noise_scale;
  view.neighbors = neighbors.index.data();
  return view;
}

struct Functional {
  LocalView view;
  std::vector<double> weights, variance;

  Functional(const LocalView& view_) : view(view_), weights(view.targets * view.k), variance(view.targets) {
    for (std::size_t i = 0; i < weights.size(); ++i) weights[i] = std::sin(1.0 + 3.0 * double(i));
    for (std::size_t i = 0; i < variance.size(); ++i) variance[i] = std::cos(2.0 + 5.0 * double(i));
  }

  double operator()(const Covariance& covariance, const RunContext& context) const {
    const PreparedCovariance prepared = prepare(covariance, view.dim, false, local_kernels().fill_matern_table);
    std::vector<double> b(weights.size()), f(variance.size());
    const Index failed = DeviceView(backend_of(context), view)
                             .conditional_weights(prepared, false, context, {nullptr, f.data(), b.data()});
    CHECK(failed == -1);
    double sum = 0.0;
    for (std::size_t i = 0; i < b.size(); ++i) sum += weights[i] * b[i];
    for (std::size_t i = 0; i < f.size(); ++i) sum += variance[i] * f[i];
    return sum;
  }

  std::vector<double> gradient(const Covariance& covariance, const RunContext& context) const {
    const PreparedCovariance prepared = prepare(covariance, view.dim, true, local_kernels().fill_matern_table);
    const TargetSums result =
        DeviceView(backend_of(context), view).conditional_adjoint(prepared, {weights.data(), variance.data()}, context);
    CHECK(result.failed == -1);
    return result.sums;
  }
};

// Parameter `a` of the core's list, on the scale in which it is differentiated, moved by `step`.
Covariance moved(Covariance covariance, int a, double step) {
  for (Component& component : covariance.components) {
    if (a == 0) return component.variance *= std::exp(step), covariance;
    a -= 1;
    if (a < int(component.range.size())) return component.range[a] *= std::exp(step), covariance;
    a -= int(component.range.size());
    if (component.anisotropic) {
      if (a < 2) return (a == 0 ? component.u : component.v) += step, covariance;
      a -= 2;
    }
    if (component.has_shape()) {
      if (a == 0) return component.shape += step, covariance;
      a -= 1;
    }
  }
  covariance.nugget *= std::exp(step);
  return covariance;
}

}  // namespace

TEST_CASE("the adjoint is the gradient of any functional of weights and variances") {
  const RunContext context;
  for (const Model& model : all_models()) {
    CAPTURE(model.name);
    const Data data(uniform_cloud(37, model.dim, 3), 2);
    const NeighborTable neighbors = neighbors_before(data, 7);
    const Functional functional(latent_view(data, neighbors));
    with_each_instruction_set([&] {
      const std::vector<double> gradient = functional.gradient(model.covariance, context);
      REQUIRE(int(gradient.size()) == model.covariance.parameters());
      for (int a = 0; a < model.covariance.parameters(); ++a) {
        if (!model.covariance.is_active(a)) continue;
        CAPTURE(a);
        const double h = 1e-5;
        const double slope = (functional(moved(model.covariance, a, h), context) -
                              functional(moved(model.covariance, a, -h), context)) / (2.0 * h);
        CHECK(gradient[a] == doctest::Approx(slope).epsilon(2e-6));
      }
    });
  }
}

TEST_CASE("the adjoint does not depend on the number of threads") {
  const Model model = families().front();
  const Data data(uniform_cloud(2000, 2, 5), 2);
  const NeighborTable neighbors = neighbors_others(data, 9);
  const Functional functional(latent_view(data, neighbors));
  RunContext one, four;
  four.threads = 4;
  CHECK(functional.gradient(model.covariance, one) == functional.gradient(model.covariance, four));
}
