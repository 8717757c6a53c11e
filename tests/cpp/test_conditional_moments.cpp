// Conditional moments against the dense reference, and gradients of linear functionals of them against differences.
#include <doctest/doctest.h>

#include <cmath>
#include <numeric>

#include "conditional/conditional_moments.h"
#include "core_fixtures.h"
#include "extended.h"

using namespace neargp;
using namespace fixtures;

namespace {

// A linear functional of the weights, variances and weighted sums of all targets.
class Functional {
 public:
  Functional(const Data& data, const NeighborTable& neighbors, ConditionalMoments::Weights wanted)
      : data_(data), neighbors_(neighbors), wanted_(wanted),
        weights_(waves(wanted == ConditionalMoments::Weights::kept ? neighbors.index.size() : 0, 3.0)),
        weighted_(waves(std::size_t(neighbors.n) * data.columns, 4.0)),
        variance_(waves(std::size_t(neighbors.n), 5.0)) {}

  double operator()(const Covariance& covariance, const RunContext& context) const {
    ConditionalMoments moments = open(context);
    CHECK(moments.update(prepare(covariance, data_.cloud.dim, false), context) == -1);
    const double seen = wanted_ == ConditionalMoments::Weights::kept ? product(weights_, moments.weights())
                                                                     : product(weighted_, moments.weighted());
    return seen + product(variance_, moments.variance());
  }

  std::vector<double> gradient(const Covariance& covariance, const RunContext& context) const {
    ConditionalAdjoint bar;
    bar.variance = variance_.data();
    (wanted_ == ConditionalMoments::Weights::kept ? bar.weights : bar.weighted) =
        wanted_ == ConditionalMoments::Weights::kept ? weights_.data() : weighted_.data();
    return open(context).adjoint(prepare(covariance, data_.cloud.dim, true), bar, context);
  }

 private:
  static std::vector<double> waves(std::size_t n, double frequency) {
    std::vector<double> x(n);
    for (std::size_t i = 0; i < n; ++i) x[i] = std::sin(1.0 + frequency * double(i));
    return x;
  }
  static double product(const std::vector<double>& x, const std::vector<double>& y) {
    REQUIRE(x.size() == y.size());
    return std::inner_product(x.begin(), x.end(), y.begin(), 0.0);
  }
  ConditionalMoments open(const RunContext& context) const {
    LocalTargets targets(data_.cloud.view(), neighbors_);
    targets.noise_scale = data_.noise_scale.data();
    return ConditionalMoments(data_.view(), targets, wanted_, context);
  }

  const Data& data_;
  const NeighborTable& neighbors_;
  ConditionalMoments::Weights wanted_;
  std::vector<double> weights_, weighted_, variance_;
};

}  // namespace

TEST_CASE("weights and variances are those of the dense conditional distribution, and sums those of the weights") {
  for (const Model& model : all_models()) {
    CAPTURE(model.name);
    const Data data(uniform_cloud(37, model.dim, 3), 2);
    const NeighborTable neighbors = neighbors_before(data, 7);
    ConditionalMoments moments(data.view(), {data.cloud.view(), neighbors}, ConditionalMoments::Weights::kept, {});
    REQUIRE(moments.update(prepare(model.covariance, model.dim, false), {}) == -1);
    for (Index t = 0; t < moments.targets(); ++t) {
      const std::vector<int> set = reference::conditioning_set(neighbors, t);
      if (set.empty()) {
        CHECK(moments.variance()[t] == doctest::Approx(prepare(model.covariance, model.dim, false).variance));
        continue;
      }
      const auto expected = reference::krige(data.view(), set, data.cloud.view()[t], model.covariance, false);
      CHECK(moments.variance()[t] == doctest::Approx(expected.variance).epsilon(1e-9));
      for (std::size_t m = 0; m < set.size(); ++m)
        CHECK(moments.weights(t)[m] == doctest::Approx(expected.weights(Index(m))).epsilon(1e-8));
      for (int c = 0; c < data.columns; ++c) {
        double sum = 0.0;
        for (std::size_t m = 0; m < set.size(); ++m)
          sum += expected.weights(Index(m)) * data.values[set[m] * data.columns + c];
        CHECK(moments.weighted()[t * data.columns + c] == doctest::Approx(sum).epsilon(1e-8));
      }
    }
  }
}

TEST_CASE("the adjoint is the gradient of any functional of weights or weighted sums, and variances" * extended) {
  const RunContext context;
  for (const Model& model : all_models()) {
    CAPTURE(model.name);
    const Data data(uniform_cloud(37, model.dim, 3), 2);
    const NeighborTable neighbors = neighbors_before(data, 7);
    for (const auto wanted : {ConditionalMoments::Weights::kept, ConditionalMoments::Weights::summed}) {
      const Functional functional(data, neighbors, wanted);
      with_each_instruction_set([&] {
        const std::vector<double> gradient = functional.gradient(model.covariance, context);
        REQUIRE(int(gradient.size()) == model.covariance.parameters());
        for (int a = 0; a < model.covariance.parameters(); ++a) {
          if (!model.covariance.is_active(a)) continue;
          CAPTURE(a);
          const double h = 1e-5;
          const double slope = (functional(reference::moved(model.covariance, a, h), context) -
                                functional(reference::moved(model.covariance, a, -h), context)) /
                               (2.0 * h);
          CHECK(gradient[a] == doctest::Approx(slope).epsilon(2e-6));
        }
      });
    }
  }
}

TEST_CASE("the adjoint does not depend on the number of threads") {
  const Model model = families().front();
  const Data data(uniform_cloud(2000, 2, 5), 2);
  const NeighborTable neighbors = neighbors_others(data, 9);
  const Functional functional(data, neighbors, ConditionalMoments::Weights::kept);
  RunContext one, four;
  four.threads = 4;
  CHECK(functional.gradient(model.covariance, one) == functional.gradient(model.covariance, four));
}
