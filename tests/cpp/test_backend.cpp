// The device interface, by a backend that counts what is asked of it and lets the CPU do the work.
#include <doctest/doctest.h>

#include "base/error.h"
#include "conditional/backend.h"
#include "core_fixtures.h"
#include "response/kriging.h"
#include "response/vecchia_likelihood.h"

using namespace neargp;

namespace {

int opened, closed, values_set;

void* counting_open(const LocalView& view) {
  ++opened;
  return cpu_backend().open(view);
}

void counting_set_values(void* device_view, const LocalView& view) {
  ++values_set;
  cpu_backend().set_values(device_view, view);
}

void counting_close(void* device_view) {
  ++closed;
  cpu_backend().close(device_view);
}

Backend counting_backend() {
  Backend backend = cpu_backend();
  backend.name = "counting";
  backend.open = counting_open;
  backend.set_values = counting_set_values;
  backend.close = counting_close;
  opened = closed = values_set = 0;
  return backend;
}

}  // namespace

TEST_CASE("the CPU backend has the version that the core expects") {
  CHECK(cpu_backend().abi_version == backend_abi_version);
  CHECK(&backend_of(RunContext{}) == &cpu_backend());
}

TEST_CASE("a problem opens one view on the context's device and closes it") {
  const fixtures::Data data(fixtures::uniform_cloud(60, 2, 1), 3);
  const Covariance covariance = fixtures::families().front().covariance;
  const NeighborTable neighbors = fixtures::neighbors_before(data, 8);
  const Backend backend = counting_backend();
  RunContext context;
  context.backend = &backend;
  const RunContext plain;
  {
    LocalProblem problem(data.view(), neighbors, {}, context);
    LocalProblem reference(data.view(), neighbors, {}, plain);
    const LikelihoodSums first = vecchia_sums(problem, covariance, true, context);
    CHECK(first.gram == vecchia_sums(reference, covariance, true, plain).gram);
    const ObjectiveGradient gradient = conditional_gradient(problem, covariance, data.beta(), context);
    CHECK(gradient.gradient == conditional_gradient(reference, covariance, data.beta(), plain).gradient);
    // back to all columns after the residuals
    CHECK(vecchia_sums(problem, covariance, true, context).gram == first.gram);
    CHECK(opened == 1);
    CHECK(values_set == 2);
    CHECK(closed == 0);
  }
  CHECK(closed == 1);
}

TEST_CASE("kriging closes its view, also when the device fails") {
  const fixtures::Data data(fixtures::uniform_cloud(40, 2, 2), 2);
  const Covariance covariance = fixtures::families().front().covariance;
  Backend backend = counting_backend();
  RunContext context;
  context.backend = &backend;
  const NeighborTable neighbors = nearest_to(data.cloud.view(), data.cloud.view(), 5, context);
  krige(data.view(), data.cloud.view(), neighbors, covariance, false, context);
  CHECK(opened == 1);
  CHECK(closed == 1);
  BackendFunction<ConditionalWeights>& weights = backend.operations;
  weights.run = [](void*, const PreparedCovariance&, const ConditionalWeights&, const RunContext&,
                   std::vector<double>&) -> Index { throw Error("The device is lost."); };
  CHECK_THROWS_AS(krige(data.view(), data.cloud.view(), neighbors, covariance, false, context), Error);
  CHECK(opened == 2);
  CHECK(closed == 2);
}
