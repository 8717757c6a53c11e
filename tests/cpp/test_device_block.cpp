#include <doctest/doctest.h>

#include "base/error.h"
#include "emulated_device.h"
#include "extended.h"
#include "inducing_fixtures.h"

using namespace neargp;
using namespace fixtures;

namespace {

RunContext on_device() {
  RunContext context;
  context.dense = &emulated::dense();
  return context;
}

CollapsedBound bound_of(const Data& data, const Cloud& inducing, const Covariance& covariance, BoundKind kind,
                        bool reml, const RunContext& context = {}) {
  BoundSettings settings;
  settings.kind = kind;
  settings.reml = reml;
  settings.jitter = 1e-3;  // for rounding of 1e-12 to be that of the computation, not of the matrix
  return collapsed_bound(regression(data), inducing.view(), covariance, settings, true, context);
}

void check_same(const CollapsedBound& a, const CollapsedBound& b) {
  REQUIRE(a.failure == BoundFailure::none);
  CHECK(std::abs(a.value - b.value) <= 1e-12 * std::abs(b.value));
  CHECK(difference(a.beta, b.beta) < 1e-12);
  CHECK(difference(a.weights, b.weights) < 1e-11);
  CHECK(difference(a.factor, b.factor) < 1e-12);
  CHECK(std::abs(a.unexplained - b.unexplained) <= 1e-12);
  CHECK(difference(parameter_gradient(a.gradient), parameter_gradient(b.gradient)) < 1e-12);
  CHECK(difference(a.gradient.positions, b.gradient.positions) < 1e-12);
}

}  // namespace

TEST_CASE("on a device the bound and its gradient are those of the CPU, for every covariance" * extended) {
  const emulated::Fresh device(1);
  for (const Model& model : all_models()) {
    CAPTURE(model.name);
    const Data data(uniform_cloud(60, model.dim), 3);
    const Cloud inducing = uniform_cloud(9, model.dim, 8);
    for (const BoundKind kind : {BoundKind::tight, BoundKind::standard})
      for (const bool reml : {false, true}) {
        const CollapsedBound on_cpu = bound_of(data, inducing, model.covariance, kind, reml);
        check_same(bound_of(data, inducing, model.covariance, kind, reml, on_device()), on_cpu);
      }
  }
  CHECK(emulated::state().living == 0);
}

TEST_CASE("on a device inducing points may lie where rows are, with the exponential covariance") {
  const emulated::Fresh device(1);
  const Data data(uniform_cloud(60, 2), 3);
  Cloud inducing = data.cloud;
  inducing.coords.resize(20);
  const Covariance covariance =
      model("exponential", {component(Family::exponential, 1.3, {0.4}, {0, 0}, 0.0)}, false).covariance;
  check_same(bound_of(data, inducing, covariance, BoundKind::tight, false, on_device()),
             bound_of(data, inducing, covariance, BoundKind::tight, false));
}

TEST_CASE("teams of several threads find the same bound on a device") {
  const Model model = all_models().front();
  const Data data(uniform_cloud(40, model.dim), 2);
  const Cloud inducing = uniform_cloud(5, model.dim, 8);
  const CollapsedBound on_cpu = bound_of(data, inducing, model.covariance, BoundKind::tight, false);
  const emulated::Fresh device(4);
  check_same(bound_of(data, inducing, model.covariance, BoundKind::tight, false, on_device()), on_cpu);
}

TEST_CASE("little memory on a device makes more chunks, of the same bound, and interrupts are answered between them") {
  const emulated::Fresh device(1);
  const Model model = all_models().front();
  const Data data(uniform_cloud(1100, model.dim), 2);
  const Cloud inducing = uniform_cloud(9, model.dim, 8);
  const CollapsedBound on_cpu = bound_of(data, inducing, model.covariance, BoundKind::tight, false);
  const auto chunks_of = [&] {
    int chunks = 0;
    RunContext context = on_device();
    context.check_interrupt = [&] { ++chunks; };
    check_same(bound_of(data, inducing, model.covariance, BoundKind::tight, false, context), on_cpu);
    return chunks;
  };
  CHECK(chunks_of() == 2);  // one for the value, one for the gradient
  emulated::state().total_bytes = 200000;
  CHECK(chunks_of() >= 4);

  RunContext interrupted = on_device();
  interrupted.check_interrupt = [] { throw Error("interrupted"); };
  CHECK_THROWS_WITH_AS(bound_of(data, inducing, model.covariance, BoundKind::tight, false, interrupted), "interrupted",
                       Error);
  CHECK(emulated::state().living == 0);
}

TEST_CASE("what does not fit into a device's memory is an error with a remedy") {
  const emulated::Fresh device(1);
  const Model model = all_models().front();
  const Data data(uniform_cloud(600, model.dim), 2);
  emulated::state().total_bytes = 40000;
  CHECK_THROWS_WITH_AS(
      bound_of(data, uniform_cloud(9, model.dim, 8), model.covariance, BoundKind::tight, false, on_device()),
      doctest::Contains("too little free memory for 9 inducing points"), Error);
  CHECK(emulated::state().living == 0);
}

TEST_CASE("features and adjoints stay on a device: a row sends and gets some numbers, whatever the inducing points") {
  const emulated::Fresh device(1);
  const Model model = all_models().front();
  const Data data(uniform_cloud(600, model.dim), 2);
  const auto bytes_of = [&](int inducing) {
    const Index before = emulated::state().uploaded_bytes + emulated::state().downloaded_bytes;
    bound_of(data, uniform_cloud(inducing, model.dim, 8), model.covariance, BoundKind::tight, false, on_device());
    return emulated::state().uploaded_bytes + emulated::state().downloaded_bytes - before;
  };
  const Index of_matrices =
      40 * 40 * Index(sizeof(double)) * 5;  // L, S, A W A', A T A', and all else of inducing points
  CHECK(bytes_of(40) - bytes_of(10) < of_matrices);
  CHECK(bytes_of(40) < of_matrices + 600 * Index(sizeof(double)) * (2 * (model.dim + 1) + 12));
}
