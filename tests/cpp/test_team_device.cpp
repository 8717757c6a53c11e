// Tests of the host's work for a device: chunks, copies, memory, failures. The device is emulated.
#include <doctest/doctest.h>

#include <cmath>
#include <exception>
#include <thread>

#include "base/error.h"
#include "core_fixtures.h"
#include "emulated_device.h"
#include "extended.h"
#include "output_fixtures.h"
#include "response/kriging.h"

using namespace neargp;
using namespace fixtures;

namespace {

using emulated::on_emulated;

void check_same(const std::vector<double>& values, const std::vector<double>& expected) {
  REQUIRE(values.size() == expected.size());
  for (std::size_t i = 0; i < values.size(); ++i) CHECK(values[i] == doctest::Approx(expected[i]).epsilon(1e-11));
}

struct Fixture {
  Data data{uniform_cloud(300, 2, 4), 2};
  NeighborTable neighbors = neighbors_before(data, 10);
  Covariance covariance = families().front().covariance;
  PreparedCovariance prepared = prepare(covariance, 2, true);

  LocalProblem problem(const RunContext& context) const { return {data.view(), neighbors, {}, context}; }
};

}  // namespace

TEST_CASE("an emulated device takes a whole fit's calls" * extended) {
  const emulated::Fresh device;
  const Fixture fixture;
  const RunContext plain;
  {
    LocalProblem problem = fixture.problem(on_emulated()), reference = fixture.problem(plain);
    const auto beta = fixture.data.beta();
    const auto first = conditional_gradient(problem, fixture.covariance, beta, on_emulated());
    check_same({first.gradient.begin(), first.gradient.end()},
               conditional_gradient(reference, fixture.covariance, beta, plain).gradient);
    // back to all columns after the residuals
    check_values(vecchia_sums(problem, fixture.covariance, true, on_emulated()),
                 reference::vecchia_sums(fixture.data.view(), fixture.neighbors, {}, fixture.covariance));
  }
  CHECK(emulated::state().living == 0);
}

TEST_CASE("data go to the device once, afterwards only parameters and values do") {
  const emulated::Fresh device;
  const Fixture fixture;
  const LocalProblem problem = fixture.problem(on_emulated());
  const Index after_opening = emulated::state().uploaded_bytes;
  CHECK(after_opening > Index(300 * 10 * sizeof(int)));
  problem.on_device().run(VecchiaSums{true}, fixture.prepared, on_emulated());
  CHECK(emulated::state().uploaded_bytes - after_opening < 2000);
}

TEST_CASE("a batch in which nothing has changed is sent nothing") {
  const emulated::Fresh device;
  const Fixture fixture;
  const LocalProblem problem = fixture.problem(on_emulated());
  LocalView view = problem.view();
  std::vector<int> all;
  for (Index t = 0; t < view.targets; ++t) all.push_back(int(t));
  view.chosen = all.data();
  DeviceView batch(emulated::backend(), view);
  batch.set_batch(view, ChangedData{});
  check_same(batch.run(VecchiaSums{true}, fixture.prepared, on_emulated()).sums,
             problem.on_device().run(VecchiaSums{true}, fixture.prepared, on_emulated()).sums);
}

TEST_CASE("a thread that has not spoken to the device yet may open views") {
  const emulated::Fresh device;
  const Fixture fixture;
  std::exception_ptr failure;
  std::thread([&] {
    try {
      const LocalProblem problem = fixture.problem(on_emulated());
      problem.on_device().run(VecchiaSums{true}, fixture.prepared, on_emulated());
    } catch (...) {
      failure = std::current_exception();
    }
  }).join();
  CHECK(failure == nullptr);
}

TEST_CASE("chunks, streamed targets and teams' memory make no difference to sums") {
  const Fixture fixture;
  const auto sums = [&] {
    const LocalProblem problem = fixture.problem(on_emulated());
    return problem.on_device().run(VecchiaSums{true}, fixture.prepared, on_emulated()).sums;
  };
  const emulated::Fresh device;
  emulated::state().limits.shared_per_multiprocessor = 16 << 10;
  const std::vector<double> expected = sums();
  const Index whole = emulated::state().launches;
  // data take 300 * 40 bytes; conditioning sets take as many, more than half of what is left
  emulated::state().launches = 0;
  emulated::state().total_bytes = 34000;
  CHECK(sums() == expected);
  CHECK(emulated::state().launches > whole);
  // not on the chip
  emulated::state().total_bytes = Index(1) << 32;
  emulated::state().limits.shared_per_block = 1 << 10;
  check_same(sums(), expected);
  CHECK(emulated::state().used_device_memory);
}

TEST_CASE("predictions in chunks are predictions") {
  const emulated::Fresh device;
  const Fixture fixture;
  const Cloud sites = uniform_cloud(2000, 2, 17);
  const RunContext plain;
  const NeighborTable neighbors = nearest_to(fixture.data.cloud.view(), sites.view(), 20, plain);
  const auto expected = krige(fixture.data.view(), sites.view(), neighbors, fixture.covariance, true, plain);
  emulated::state().total_bytes = 120000;
  emulated::state().limits.multiprocessors = 1;
  emulated::state().limits.shared_per_multiprocessor = 40 << 10;
  const auto values = krige(fixture.data.view(), sites.view(), neighbors, fixture.covariance, true, on_emulated());
  CHECK(emulated::state().launches > 2);
  check_same(values.weighted, expected.weighted);
  check_same(values.variance, expected.variance);
  CHECK(emulated::state().living == 0);
}

TEST_CASE("predictions of several outputs in chunks are those of the CPU") {
  const emulated::Fresh device;
  const OutputData data(300, 2, 1);
  const Cloud sites = uniform_cloud(2000, 2, 17);
  std::vector<int> outputs;
  for (Index t = 0; t < 2000; ++t) outputs.push_back(int(t % 3));
  const Covariance covariance = models_of_outputs()[1].covariance;
  const RunContext plain;
  const NeighborTable neighbors = nearest_to(data.data.cloud.view(), sites.view(), 20, plain);
  const auto predict = [&](const RunContext& context) {
    return krige(data.view(), sites.view(), neighbors, covariance, false, context, outputs.data());
  };
  const Kriging expected = predict(plain);
  for (const Index bytes : {Index(1) << 32, Index(120000)}) {
    CAPTURE(bytes);
    emulated::state().total_bytes = bytes;
    emulated::state().limits.multiprocessors = 1;
    emulated::state().limits.shared_per_multiprocessor = 40 << 10;
    const Kriging kriging = predict(on_emulated());
    check_same(kriging.weighted, expected.weighted);
    check_same(kriging.variance, expected.variance);
  }
  CHECK(emulated::state().launches > 3);
}

TEST_CASE("what fails on a device is an error and leaves no memory behind") {
  const Fixture fixture;
  for (Index number = 0;; ++number) {
    REQUIRE(number < 100);
    const emulated::Fresh device;
    emulated::state().fail_allocation = number;
    bool failed = false;
    try {
      const LocalProblem problem = fixture.problem(on_emulated());
      problem.on_device().run(VecchiaSums{true}, fixture.prepared, on_emulated());
    } catch (const Error&) {
      failed = true;
    }
    CHECK(emulated::state().living == 0);
    if (!failed) {
      CHECK(number > 8);
      break;
    }
  }
}

TEST_CASE("a computation on a device can be interrupted between chunks") {
  const emulated::Fresh device;
  const Fixture fixture;
  const LocalProblem problem = fixture.problem(on_emulated());
  RunContext context = on_emulated();
  context.check_interrupt = [] { throw Error("Interrupted."); };
  CHECK_THROWS_WITH_AS(problem.on_device().run(VecchiaSums{true}, fixture.prepared, context), "Interrupted.", Error);
  double done = 0.0;
  context.check_interrupt = nullptr;
  context.progress = [&](double fraction) { done = fraction; };
  problem.on_device().run(VecchiaSums{true}, fixture.prepared, context);
  CHECK(done == 1.0);
}

TEST_CASE("the smallest target that cannot be factorised is named") {
  const emulated::Fresh device;
  const Fixture fixture;
  Covariance covariance = fixture.covariance;
  covariance.nugget = 0.0;
  Cloud cloud = fixture.data.cloud;
  for (const int row : {57, 140}) {  // twice the same place, one of them among the neighbours of the other
    const int other = fixture.neighbors[row][0];
    for (int d = 0; d < 2; ++d) cloud.coords[2 * row + d] = cloud.coords[2 * other + d];
  }
  const LocalData moved{cloud.view(), 2, fixture.data.values.data(), fixture.data.noise_scale.data()};
  const PreparedCovariance prepared = prepare(covariance, 2, true);
  const RunContext plain;
  const LocalProblem problem(moved, fixture.neighbors, {}, on_emulated());
  const LocalProblem reference(moved, fixture.neighbors, {}, plain);
  const Index failed = reference.on_device().run(VecchiaSums{true}, prepared, plain).failed;
  CHECK(failed >= 0);
  CHECK(problem.on_device().run(VecchiaSums{true}, prepared, on_emulated()).failed == failed);
  CHECK(problem.on_device().run(ConditionalGradient{}, prepared, on_emulated()).failed == failed);
}

TEST_CASE("a conditioning set too large for a device's arithmetic is refused") {
  const emulated::Fresh device;
  LocalView view;
  view.k = 30001;
  CHECK_THROWS_AS(DeviceView(emulated::backend(), view), Error);
}
