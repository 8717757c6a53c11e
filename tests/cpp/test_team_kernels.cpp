// Every computation by teams of threads against the kernels of the CPU.
#include <doctest/doctest.h>

#include <cmath>

#include "core_fixtures.h"
#include "emulated_device.h"
#include "extended.h"
#include "few_cases.h"
#include "output_fixtures.h"

using namespace neargp;
using namespace fixtures;

namespace {

struct Results {
  std::vector<std::vector<double>> sums;
  std::vector<Index> failed;
};

void compute_weights(const DeviceView& device, const LocalView& view, const PreparedCovariance& covariance,
                     bool local_mean, const RunContext& context, Results& results) {
  std::vector<double> weighted(std::size_t(view.targets * view.columns)), variance(std::size_t(view.targets)),
      weights(std::size_t(view.targets * view.k));
  const ConditionalWeights operation{local_mean, weighted.data(), variance.data(), weights.data()};
  results.failed.push_back(device.run(operation, covariance, context).failed);
  for (const auto& array : {weighted, variance, weights}) results.sums.push_back(array);
}

void compute_adjoint(const DeviceView& device, const LocalView& view, const PreparedCovariance& covariance,
                     const RunContext& context, Results& results) {
  const Philox random(4);
  std::vector<double> weights(std::size_t(view.targets * view.k)), variance(std::size_t(view.targets)),
      noise(weights.size(), 0.0);
  for (std::size_t i = 0; i < weights.size(); ++i) weights[i] = random.uniform(i) - 0.5;
  for (std::size_t i = 0; i < variance.size(); ++i) variance[i] = random.uniform(i + 100000) - 0.5;
  std::vector<double> weighted(std::size_t(view.targets * view.columns));
  for (std::size_t i = 0; i < weighted.size(); ++i) weighted[i] = random.uniform(i + 200000) - 0.5;
  for (const ConditionalAdjoint& input :
       {ConditionalAdjoint{weights.data(), variance.data(), noise.data()},
        ConditionalAdjoint{nullptr, variance.data(), noise.data(), weighted.data()}}) {
    const TargetSums sums = device.run(input, covariance, context);
    results.failed.push_back(sums.failed);
    results.sums.push_back(sums.sums);
    results.sums.push_back(noise);
  }
}

// Terms m^2 / 2 + sin(projected) + log(1 + f).
struct Terms {
  std::vector<double> mean, projected, variance, weights, d_locations, d_mean, d_projected, d_variance;

  explicit Terms(const LocalView& view)
      : mean(std::size_t(view.targets)), projected(mean), variance(mean), weights(std::size_t(view.targets * view.k)),
        d_locations(std::size_t(view.targets * (view.k + 1) * view.dim)), d_mean(mean), d_projected(mean),
        d_variance(mean) {}

  static void differentiate(void* self, Index first, Index last) {
    Terms& terms = *static_cast<Terms*>(self);
    for (Index t = first; t < last; ++t) {
      terms.d_mean[t] = terms.mean[t];
      terms.d_projected[t] = std::cos(terms.projected[t]);
      terms.d_variance[t] = 1.0 / (1.0 + terms.variance[t]);
    }
  }

  ProjectedAdjoint view(bool locations) {
    ProjectedAdjoint terms;
    terms.mean = mean.data();
    terms.projected = projected.data();
    terms.variance = variance.data();
    terms.weights = weights.data();
    terms.d_locations = locations ? d_locations.data() : nullptr;
    terms.differentiate = differentiate;
    terms.context = this;
    terms.d_mean = d_mean.data();
    terms.d_projected = d_projected.data();
    terms.d_variance = d_variance.data();
    return terms;
  }
};

void compute_projected(const DeviceView& device, const LocalView& view, PreparedCovariance covariance,
                       const RunContext& context, Results& results) {
  for (const bool locations : {false, true}) {
    if (locations) keep_slopes(covariance);
    Terms terms(view);
    const TargetSums sums = device.run(terms.view(locations), covariance, context);
    results.failed.push_back(sums.failed);
    for (const auto& array : {sums.sums, terms.mean, terms.projected, terms.variance, terms.weights, terms.d_locations})
      results.sums.push_back(array);
  }
}

Results compute(const Backend& backend, const LocalView& view, const Covariance& covariance,
                bool without_target_noise = true) {
  RunContext context;
  context.backend = &backend;
  const PreparedCovariance prepared = prepare(covariance, view.dim, true);
  const PreparedCovariance plain = prepare(covariance, view.dim, false);
  Results results;
  const auto keep = [&](const TargetSums& sums) {
    results.sums.push_back(sums.sums);
    results.failed.push_back(sums.failed);
  };
  const DeviceView device(backend, view);
  keep(device.run(VecchiaSums{false}, plain, context));
  if (prepared.outputs() == 0) keep(device.run(VecchiaSums{true}, prepared, context));  // of several there is none
  keep(device.run(ConditionalGradient{}, prepared, context));
  keep(device.run(JointSums{false}, plain, context));
  keep(device.run(JointSums{true}, prepared, context));
  LocalView field = view;
  if (without_target_noise) field.target_noise_scale = nullptr;
  field.target_values = nullptr;
  const DeviceView field_device(backend, field);
  compute_weights(field_device, field, plain, false, context, results);
  compute_weights(field_device, field, plain, true, context, results);
  compute_adjoint(field_device, field, prepared, context, results);
  compute_projected(field_device, field, prepared, context, results);
  return results;
}

// Relative to the largest entry of each result.
void check_agree(const Results& results, const Results& expected, double tolerance) {
  REQUIRE(results.sums.size() == expected.sums.size());
  CHECK(results.failed == expected.failed);
  for (std::size_t r = 0; r < expected.sums.size(); ++r) {
    CAPTURE(r);
    REQUIRE(results.sums[r].size() == expected.sums[r].size());
    double scale = 0.0, difference = 0.0;
    for (const double x : expected.sums[r])
      if (std::isfinite(x)) scale = std::max(scale, std::abs(x));
    for (std::size_t s = 0; s < expected.sums[r].size(); ++s) {
      // the local mean of a target without neighbours is not finite
      REQUIRE(std::isfinite(results.sums[r][s]) == std::isfinite(expected.sums[r][s]));
      if (std::isfinite(expected.sums[r][s]))
        difference = std::max(difference, std::abs(results.sums[r][s] - expected.sums[r][s]));
    }
    CHECK(difference <= tolerance * scale);
  }
}

LocalProblem make_problem(int n, int dim, int k, int columns) {
  const Data data(uniform_cloud(n, dim, 3), columns);
  NeighborTable table = neighbors_before(data, k);  // the first rows have fewer than k
  return LocalProblem(data.view(), table, {}, with_threads(1));
}

}  // namespace

TEST_CASE("teams compute what the CPU's kernels do, for every covariance") {
  for (const Model& model : some_of(all_models())) {
    CAPTURE(model.name);
    const LocalProblem problem = make_problem(32, model.dim, 12, 3);
    const Results expected = compute(cpu_backend(), problem.view(), model.covariance);
    const emulated::Fresh device;
    check_agree(compute(emulated::backend(), problem.view(), model.covariance), expected, 1e-10);
    CHECK(emulated::state().living == 0);
  }
}

TEST_CASE("teams compute for conditioning sets of any size" * extended) {
  const Model of_space = model("three ranges", {component(Family::matern, 1.2, {0.3, 0.5, 0.4}, {0, 1, 2}, 1.5)}, true);
  for (const Model& model : {structures().back(), families().front(), of_space})
    for (const int k : some_of<int>({0, 1, 2, 3, 4, 5, 15, 30, 31, 32, 33, 64, emulated::most_neighbors})) {
      CAPTURE(model.name);
      CAPTURE(k);
      const LocalProblem problem = with_few_targets(Data(uniform_cloud(k + 12, model.dim, 3), 2), k);
      const Results expected = compute(cpu_backend(), problem.view(), model.covariance);
      const emulated::Fresh device;
      check_agree(compute(emulated::backend(), problem.view(), model.covariance), expected, 1e-10);
    }
}

TEST_CASE("covariances of one component without a parameter of its family have a computation of their own") {
  const auto is_plain = [](const Covariance& covariance) {
    return with_plain_correlation(prepare(covariance, 2, true), [](const auto&) {});
  };
  const auto model_of = [](std::vector<Component> components) { return model("", components, true).covariance; };
  CHECK(is_plain(model_of({component(Family::exponential, 1.0, {0.3}, {0, 0})})));
  CHECK(is_plain(model_of({component(Family::matern, 1.0, {0.3, 0.4}, {0, 1}, 1.5)})));
  CHECK(!is_plain(model_of({component(Family::matern, 1.0, {0.3}, {0, 0}, 1.1)})));
  CHECK(!is_plain(model_of({component(Family::cauchy, 1.0, {0.3}, {0, 0}, 1.0)})));
  CHECK(!is_plain(model_of(std::vector<Component>(2, component(Family::exponential, 1.0, {0.3}, {0, 0})))));
  CHECK(!is_plain(models_of_outputs().front().covariance));
}

TEST_CASE("teams compute for several outputs" * extended) {
  for (const Model& model : some_of(models_of_outputs())) {
    CAPTURE(model.name);
    const OutputData data(18, model.dim, 2);
    const LocalProblem problem(data.view(), neighbors_before(data.data, 11), {}, with_threads(1));
    const Results expected = compute(cpu_backend(), problem.view(), model.covariance);
    for (const int threads : {1, 3}) {
      CAPTURE(threads);
      const emulated::Fresh device(threads);
      check_agree(compute(emulated::backend(), problem.view(), model.covariance), expected, 1e-10);
    }
  }
}

TEST_CASE("teams compute in the device's memory what they compute on the chip") {
  const auto check_in_device_memory = [](const LocalView& view, const Covariance& covariance) {
    const emulated::Fresh device;
    emulated::state().limits.shared_per_block = 1 << 10;
    check_agree(compute(emulated::backend(), view, covariance), compute(cpu_backend(), view, covariance), 1e-10);
    CHECK(emulated::state().used_device_memory);
  };
  for (const Model& model : {structures().front(), structures().back()})
    for (const int k : {5, 13, 41}) {
      CAPTURE(k);
      check_in_device_memory(make_problem(k + 3, model.dim, k, 2).view(), model.covariance);
    }
  const Model model = models_of_outputs().back();
  const OutputData data(14, model.dim, 2);
  check_in_device_memory(LocalProblem(data.view(), neighbors_before(data.data, 11), {}, with_threads(1)).view(),
                         model.covariance);
}

// Where a barrier is missing, threads see each other's work unfinished; the sanitizer of threads (make teams)
// sees it even where the numbers happen to be right.
TEST_CASE("teams of several threads agree with each other" * extended) {
  for (const int threads : {2, 3, 8})
    for (const int k : {1, 5, 13, 41}) {  // 41: several blocks of columns
      const Model model = threads == 3 ? structures().front() : structures().back();
      CAPTURE(threads);
      CAPTURE(k);
      const LocalProblem problem = with_few_targets(Data(uniform_cloud(k + 4, model.dim, 3), 2), k);
      const Results expected = compute(cpu_backend(), problem.view(), model.covariance);
      const emulated::Fresh device(threads);
      check_agree(compute(emulated::backend(), problem.view(), model.covariance), expected, 1e-10);
    }
}

// Factors of all targets of a chunk lie in the device's memory until the host has found the terms' derivatives.
TEST_CASE("terms of a latent field come out the same in chunks of any length") {
  const Model model = structures().front();
  const LocalProblem problem = make_problem(200, model.dim, 12, 2);
  LocalView field = problem.view();
  field.target_values = nullptr;
  const PreparedCovariance prepared = prepare(model.covariance, field.dim, true);
  const auto compute_with = [&](Index bytes) {
    const emulated::Fresh device;
    emulated::state().limits.shared_per_multiprocessor = 24 << 10;
    emulated::state().total_bytes = bytes;
    RunContext context;
    context.backend = &emulated::backend();
    Results results;
    compute_projected(DeviceView(emulated::backend(), field), field, prepared, context, results);
    return results;
  };
  const Results whole = compute_with(Index(1) << 32);
  CHECK(emulated::state().launches == 6);  // for values with and without locations: moments, gradient, sums
  const Results chunks = compute_with(150000);
  CHECK(emulated::state().launches > 10);
  CHECK(chunks.sums == whole.sums);
  Results expected;
  compute_projected(DeviceView(cpu_backend(), field), field, prepared, RunContext(), expected);
  check_agree(chunks, expected, 1e-10);
}
