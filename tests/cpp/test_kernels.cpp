#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "base/arena.h"
#include "base/error.h"
#include "conditional/cpu/kernels.h"
#include "core_fixtures.h"

using namespace neargp;
using namespace fixtures;

namespace {

struct Outputs {
  std::vector<double> sums, block, gradient, joint, joint_gradient, weighted, variance, weights;
  bool operator==(const Outputs& other) const {
    return sums == other.sums && block == other.block && gradient == other.gradient && joint == other.joint &&
           joint_gradient == other.joint_gradient && weighted == other.weighted && variance == other.variance &&
           weights == other.weights;
  }
};

std::vector<double> sums_of(const LocalView& view, const PreparedCovariance& prepared, const VecchiaSums& operation) {
  const KernelFunctions<VecchiaSums>& kernel = local_kernels();
  AlignedBuffer scratch(kernel.scratch_doubles(view, prepared, operation));
  std::vector<double> sums(std::size_t(operation.sums(view.columns, prepared.parameters)), 0.0);
  CHECK(kernel.run(view, prepared, operation, 0, view.targets, scratch.data(), sums.data()) == -1);
  return sums;
}

// The rows of a table, or their last neighbours but `back` - 1, as targets that are given the neighbours before them.
struct TargetsOfTable {
  std::vector<double> coords, values, noise_scale;
  NeighborTable sets;
  LocalTargets targets;

  TargetsOfTable(const Data& data, const NeighborTable& table, int back)
      : sets(table.n, table.k), targets({nullptr, table.n, data.cloud.view().dim}, sets) {
    const LocalData all = data.view();
    for (Index i = 0; i < table.n; ++i) {
      const int row = back == 0 ? int(i) : table[i][table.k - back];
      coords.insert(coords.end(), all.coords[row], all.coords[row] + all.coords.dim);
      values.push_back(all.values[row]);
      noise_scale.push_back(all.noise_scale[row]);
      std::copy_n(table[i], table.k - back, sets[i]);
    }
    targets.coords.data = coords.data();
    targets.values = values.data();
    targets.noise_scale = noise_scale.data();
  }
};

// Runs all kernels on the targets first .. last-1 in scratch memory that holds `filling`. The view's one column
// serves as the response and as the residual.
Outputs run_all(const LocalView& view, const Covariance& covariance, Index first, Index last, double filling) {
  const PreparedCovariance prepared = prepare(covariance, view.dim, true);
  const auto run = [&](const auto& operation) {
    const KernelFunctions<std::decay_t<decltype(operation)>>& kernel = local_kernels();
    const std::size_t doubles = kernel.scratch_doubles(view, prepared, operation);
    AlignedBuffer scratch(doubles);
    std::fill_n(scratch.data(), doubles, filling);
    std::vector<double> sums(std::size_t(operation.sums(view.columns, prepared.parameters)), 0.0);
    CHECK(kernel.run(view, prepared, operation, first, last, scratch.data(), sums.data()) == -1);
    return sums;
  };
  Outputs out;
  out.weighted.assign(std::size_t(view.targets), 0.0);
  out.variance = out.weighted;
  out.weights.assign(std::size_t(view.targets) * view.k, 0.0);
  out.sums = run(VecchiaSums{true});
  out.block = run(VecchiaSums{true, 3});
  out.gradient = run(ConditionalGradient{});
  out.joint = run(JointSums{false});
  out.joint_gradient = run(JointSums{true});
  run(ConditionalWeights{true, out.weighted.data(), out.variance.data(), out.weights.data()});
  return out;
}

}  // namespace

TEST_CASE("what the scratch memory held before does not matter") {
  const Data data(uniform_cloud(21, 2), 1);
  NeighborTable table = neighbors_others(data, 6);
  table[3][4] = table[3][5] = -1;
  const LocalProblem problem(data.view(), table, {}, with_threads(1));
  for (const Model& model : all_models()) {
    if (model.dim != 2) continue;
    CAPTURE(model.name);
    with_each_instruction_set([&] {
      const Outputs zeros = run_all(problem.view(), model.covariance, 0, 21, 0.0);
      for (const double x : zeros.sums) CHECK(std::isfinite(x));
      CHECK((run_all(problem.view(), model.covariance, 0, 21, std::numeric_limits<double>::quiet_NaN()) == zeros));
      CHECK((run_all(problem.view(), model.covariance, 0, 21, -1e300) == zeros));
    });
  }
}

TEST_CASE("the sums of a block are those of its rows, each given the neighbours before it") {
  const Data data(uniform_cloud(21, 2), 1);
  const NeighborTable table = neighbors_others(data, 6);
  for (const Model& model : all_models()) {
    if (model.dim != 2) continue;
    CAPTURE(model.name);
    const PreparedCovariance prepared = prepare(model.covariance, 2, true);
    with_each_instruction_set([&] {
      std::vector<double> one_by_one;
      for (int back = 0; back < 3; ++back) {
        const TargetsOfTable rows(data, table, back);
        const std::vector<double> sums = sums_of(view_of(data.view(), rows.targets), prepared, {true});
        if (one_by_one.empty()) one_by_one.resize(sums.size());
        for (std::size_t s = 0; s < sums.size(); ++s) one_by_one[s] += sums[s];
      }
      const TargetsOfTable last(data, table, 0);
      const std::vector<double> sums = sums_of(view_of(data.view(), last.targets), prepared, {true, 3});
      for (std::size_t s = 0; s < sums.size(); ++s) CHECK(sums[s] == doctest::Approx(one_by_one[s]).epsilon(1e-8));
    });
  }
}

TEST_CASE("a range of targets may begin and end anywhere") {
  const Data data(uniform_cloud(21, 2), 1);
  const LocalProblem problem(data.view(), neighbors_others(data, 6), {}, with_threads(1));
  const Covariance covariance = structures()[2].covariance;
  with_each_instruction_set([&] {
    const Outputs whole = run_all(problem.view(), covariance, 0, 21, 0.0);
    const Outputs head = run_all(problem.view(), covariance, 0, 11, 0.0);
    const Outputs tail = run_all(problem.view(), covariance, 11, 21, 0.0);
    for (std::size_t s = 0; s < whole.sums.size(); ++s)
      CHECK(head.sums[s] + tail.sums[s] == doctest::Approx(whole.sums[s]).epsilon(1e-11));
    for (std::size_t s = 0; s < whole.gradient.size(); ++s) {
      CHECK(head.gradient[s] + tail.gradient[s] == doctest::Approx(whole.gradient[s]).epsilon(1e-11));
      CHECK(head.joint_gradient[s] + tail.joint_gradient[s] == doctest::Approx(whole.joint_gradient[s]).epsilon(1e-11));
    }
    for (std::size_t t = 0; t < 21; ++t) {
      CHECK((t < 11 ? head : tail).weighted[t] == doctest::Approx(whole.weighted[t]).epsilon(1e-12));
      CHECK((t < 11 ? tail : head).weighted[t] == 0.0);
    }
  });
}

TEST_CASE("instruction sets agree") {
  const Data data(uniform_cloud(50, 2), 1);
  const LocalProblem problem(data.view(), neighbors_before(data, 12), {}, with_threads(1));
  const Covariance covariance = structures().back().covariance;
  const KeepInstructionSet keep;
  use_instruction_set(instruction_sets().back());
  const Outputs expected = run_all(problem.view(), covariance, 0, 50, 0.0);
  with_each_instruction_set([&] {
    const Outputs outputs = run_all(problem.view(), covariance, 0, 50, 0.0);
    for (std::size_t s = 0; s < expected.sums.size(); ++s)
      CHECK(outputs.sums[s] == doctest::Approx(expected.sums[s]).epsilon(1e-9));
  });
}

TEST_CASE("an instruction set can be chosen, and one that is missing is refused") {
  const std::vector<const char*> names = instruction_sets();
  REQUIRE(!names.empty());
  const KeepInstructionSet keep;
  use_instruction_set(names.back());
  CHECK(std::string(instruction_set_name(instruction_set())) == names.back());
  CHECK_THROWS_AS(use_instruction_set("mmx"), Error);
  CHECK(std::string(instruction_set_name(instruction_set())) == names.back());
  use_instruction_set("auto");
  CHECK(std::string(instruction_set_name(instruction_set())) == names.front());
}
