// Deep Gaussian processes on a device against those of the CPU.
#include "base/error.h"
#include "deep/deep_training.h"
#include "deep_fixtures.h"
#include "emulated_device.h"
#include "extended.h"

using namespace neargp;
using namespace fixtures;
using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

RunContext on_device() {
  RunContext context;
  context.dense = &emulated::dense();
  return context;
}

// The larger jitter makes the matrices regular, so that a rounding of 1e-12 is that of the computation.
DeepCase regular(DeepCase at) {
  at.state.jitter = 1e-2;
  return at;
}

void check_same(const DeepCase& at, const DeepObjectiveSettings& settings = {}) {
  const DeepRows rows{at.x.view(), at.response};
  DeepValue on_cpu = deep_objective(at.state, rows, settings, with_threads(1));
  DeepValue found = deep_objective(at.state, rows, settings, on_device());
  REQUIRE_FALSE(found.failure);
  CHECK(std::abs(found.value - on_cpu.value) <= 1e-12 * std::abs(on_cpu.value));
  CHECK(difference(as_working(found.gradient), as_working(on_cpu.gradient)) < 1e-11);
  const DeepPrediction of_cpu = deep_components(at.state, at.x.view(), with_threads(1)),
                       predicted = deep_components(at.state, at.x.view(), on_device());
  CHECK(difference(predicted.mean, of_cpu.mean) < 1e-12);
  CHECK(difference(predicted.variance, of_cpu.variance) < 1e-12);
  const VectorXd density = deep_density(at.state, at.x.view(), at.response, with_threads(1)).value;
  CHECK(difference(deep_density(at.state, at.x.view(), at.response, on_device()).value, density) < 1e-12);
}

}  // namespace

TEST_CASE("on a device a deep objective, its gradient and predictions are those of the CPU") {
  const emulated::Fresh device(1);
  check_same(regular(DeepCase(2, SiteRule::free, 30)));
  CHECK(emulated::state().living == 0);
}

TEST_CASE("on a device they are those of the CPU, for all rules, layers, outputs, posteriors and kernels" * extended) {
  const emulated::Fresh device(1);
  for (const SiteRule rule : {SiteRule::free, SiteRule::grid, SiteRule::symmetric, SiteRule::random})
    for (const int layers : {1, 2, 3})
      for (const int outputs : {1, 2})
        for (const bool full : {false, true}) {
          if (layers == 3 && rule != SiteRule::free && rule != SiteRule::random) continue;
          CAPTURE(layers);
          CAPTURE(outputs);
          CAPTURE(full);
          check_same(regular(DeepCase(layers, rule, 20, outputs, full)));
        }
  for (const double shape : {0.5, 1.5, 3.5, 1.1}) {
    CAPTURE(shape);
    DeepCase at = regular(DeepCase(3, SiteRule::free, 20));
    at.state.shape = shape;
    check_same(at);
  }
  DeepCase smooth = regular(DeepCase(2, SiteRule::free, 20));
  smooth.state.kernel = Family::gaussian;
  check_same(smooth);
  DeepCase apart = regular(DeepCase(3, SiteRule::free, 20));
  apart.state.layers[1].kernel_inputs = {false, true};
  check_same(apart);
}

TEST_CASE("on a device no rows have no components") {
  const emulated::Fresh device(1);
  const DeepCase at = regular(DeepCase(2, SiteRule::free, 20));
  CHECK(deep_components(at.state, {at.x.coords.data(), 0, at.x.dim}, on_device()).mean.rows() == 0);
}

TEST_CASE("teams of several threads find the same deep objective on a device") {
  const emulated::Fresh device(4);
  check_same(regular(DeepCase(2, SiteRule::free, 12, 1, true)));
}

TEST_CASE("little memory on a device makes more blocks, of the same deep objective, interrupted between them") {
  const emulated::Fresh device(1);
  const DeepCase at = regular(DeepCase(2, SiteRule::free, 400));
  const auto blocks_of = [&] {
    int blocks = 0;
    RunContext context = on_device();
    context.check_interrupt = [&] { ++blocks; };
    const DeepRows rows{at.x.view(), at.response};
    DeepValue found = deep_objective(at.state, rows, {}, context), on_cpu = deep_objective(at.state, rows, {}, {});
    CHECK(difference(as_working(found.gradient), as_working(on_cpu.gradient)) < 1e-11);
    return blocks;
  };
  CHECK(blocks_of() == 1);
  emulated::state().total_bytes = 60000;
  CHECK(blocks_of() >= 3);
  RunContext interrupted = on_device();
  interrupted.check_interrupt = [] { throw Error("interrupted"); };
  CHECK_THROWS_WITH_AS(deep_objective(at.state, {at.x.view(), at.response}, {}, interrupted), "interrupted", Error);
  CHECK(emulated::state().living == 0);
  emulated::state().total_bytes = 12000;
  CHECK_THROWS_WITH_AS(deep_objective(at.state, {at.x.view(), at.response}, {}, on_device()),
                       doctest::Contains("too little free memory for these layers"), Error);
  CHECK(emulated::state().living == 0);
}

TEST_CASE("on a device an objective that begins has room to end, with more inducing points than rows" * extended) {
  const emulated::Fresh device(1);
  const DeepCase at = regular(DeepCase(1, SiteRule::free, 60, 1, true, 100));
  bool begun = false, ended = false;
  for (Index bytes = 300000; bytes < 600000; bytes += 20000) {
    CAPTURE(bytes);
    emulated::state().total_bytes = bytes;
    RunContext context = on_device();
    context.check_interrupt = [&] { begun = true; };
    try {
      deep_objective(at.state, {at.x.view(), at.response}, {}, context);
      ended = true;
    } catch (const Error&) {
      CHECK_FALSE(begun);
    }
  }
  CHECK(ended);
}

TEST_CASE("on a device a unit with coinciding positions gets more jitter, or is named, as on the CPU") {
  const emulated::Fresh device(1);
  DeepCase at(2, SiteRule::free, 20);
  UnitState& unit = at.state.layers[0].units[1];
  unit.positions.row(2) = unit.positions.row(1);
  const DeepRows rows{at.x.view(), at.response};
  // a negative one leaves no doubt, where the sign of a pivot near 0 is one of rounding
  for (const double jitter : {1e-17, -1e-9}) {
    at.state.jitter = jitter;
    const DeepValue on_cpu = deep_objective(at.state, rows, {}, {}),
                    found = deep_objective(at.state, rows, {}, on_device());
    CHECK(on_cpu.failure.has_value() == (jitter < 0.0));
    REQUIRE(found.failure.has_value() == on_cpu.failure.has_value());
    if (!found.failure) continue;
    CHECK(found.failure->layer == 0);
    CHECK(found.failure->unit == 1);
    CHECK(found.failure->first == on_cpu.failure->first);
    CHECK(found.failure->second == on_cpu.failure->second);
  }
}

TEST_CASE("units of different numbers of inducing points are not for a device") {
  const emulated::Fresh device(1);
  DeepCase at(2, SiteRule::free, 20);
  UnitState& unit = at.state.layers[0].units[1];
  unit.positions.conservativeResize(3, Eigen::NoChange);
  unit.mean.conservativeResize(3);
  unit.sd.conservativeResize(3);
  CHECK_THROWS_WITH_AS(deep_objective(at.state, {at.x.view(), at.response}, {}, on_device()),
                       doctest::Contains("equally many inducing points"), Error);
}

TEST_CASE("what is trained on a device is what is trained on the CPU") {
  const emulated::Fresh device(1);
  const DeepCase at = regular(DeepCase(2, SiteRule::free, 60)), held_out = regular(DeepCase(2, SiteRule::free, 15));
  DeepTraining settings;
  settings.to = settings.epochs = 3;
  settings.batch_size = 20;
  const auto run = [&](const RunContext& context) {
    return train_deep(at.state, {at.x.view(), at.response}, {held_out.x.view(), held_out.response}, settings, context);
  };
  DeepRun on_cpu = run(with_threads(2)), found = run(on_device());
  CHECK(difference(to_working(found.state), to_working(on_cpu.state)) < 1e-9);
  CHECK(found.best_epoch == on_cpu.best_epoch);
  for (int epoch = 0; epoch < 3; ++epoch)
    CHECK(found.validation[epoch] == doctest::Approx(on_cpu.validation[epoch]).epsilon(1e-9));
  CHECK(emulated::state().living == 0);
}
