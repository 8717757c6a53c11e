// Sums by teams with matrices in single precision, against the same sums with matrices in double precision.
//
// In arithmetic of unit roundoff u, a Cholesky factor is the exact factor of a slightly different matrix. The relative
// difference is about u times the number of rows plus one (Higham 2002, theorem 10.3). Solutions with this factor then
// differ, relatively, by that times the matrix's condition number. The condition number is at most rows * largest
// variance / smallest noise.
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

RunContext in_single() {
  RunContext context = emulated::on_emulated();
  context.single_precision = true;
  return context;
}

struct Results {
  std::vector<std::vector<double>> sums;
  std::vector<Index> failed;
};

// All sums that exist in single precision.
Results compute(const LocalView& view, const Covariance& covariance, const RunContext& context) {
  const PreparedCovariance prepared = prepare(covariance, view.dim, true);
  const PreparedCovariance plain = prepare(covariance, view.dim, false);
  Results results;
  const DeviceView device(emulated::backend(), view);
  const auto keep = [&](const TargetSums& sums) {
    results.sums.push_back(sums.sums);
    results.failed.push_back(sums.failed);
  };
  keep(device.run(VecchiaSums{false}, plain, context));
  if (prepared.outputs() == 0) keep(device.run(VecchiaSums{true}, prepared, context));
  keep(device.run(ConditionalGradient{}, prepared, context));
  keep(device.run(JointSums{false}, plain, context));
  keep(device.run(JointSums{true}, prepared, context));
  return results;
}

double condition(const PreparedCovariance& covariance, int rows) {
  double variance = covariance.variance, noise = covariance.nugget;
  for (int output = 0; output < covariance.outputs(); ++output) {
    variance = std::max(variance, covariance.output_variance(output));
    noise = output == 0 ? covariance.output_nuggets[0] : std::min(noise, covariance.output_nuggets[output]);
  }
  return rows * (variance + 2.0 * noise) / (0.5 * noise);  // noise_scale of the fixtures: 0.5 to 2
}

// Relative to the largest sum of each kind; and not equal, as they would be in the same precision.
void check_close(const LocalView& view, const Covariance& covariance) {
  const PreparedCovariance prepared = prepare(covariance, view.dim, true);
  const int rows = view.k + 1;
  const double tolerance = std::ldexp(1.0, -24) * (rows + 1) * condition(prepared, rows);
  const Results expected = compute(view, covariance, emulated::on_emulated());
  const Results results = compute(view, covariance, in_single());
  CHECK(results.failed == expected.failed);
  for (std::size_t r = 0; r < expected.sums.size(); ++r) {
    CAPTURE(r);
    REQUIRE(results.sums[r].size() == expected.sums[r].size());
    double scale = 0.0, difference = 0.0;
    for (std::size_t s = 0; s < expected.sums[r].size(); ++s) {
      scale = std::max(scale, std::abs(expected.sums[r][s]));
      difference = std::max(difference, std::abs(results.sums[r][s] - expected.sums[r][s]));
    }
    CHECK(difference <= tolerance * scale);
    CHECK(difference > 0.0);
  }
}

LocalProblem make_problem(const Data& data, int k) {
  return LocalProblem(data.view(), neighbors_before(data, k), {}, with_threads(1));
}

LocalProblem make_problem(int n, int dim, int k, int columns) {
  return make_problem(Data(uniform_cloud(n, dim, 3), columns), k);
}

}  // namespace

TEST_CASE("sums in single precision are those in double, for every covariance") {
  const emulated::Fresh device;
  for (const Model& model : some_of(all_models())) {
    CAPTURE(model.name);
    const Data data(uniform_cloud(40, model.dim, 3), 3);
    check_close(make_problem(data, 12).view(), model.covariance);
  }
}

TEST_CASE("sums in single precision for conditioning sets of any size" * extended) {
  const emulated::Fresh device;
  const Model model = structures().back();
  for (const int k : some_of<int>({0, 1, 2, 3, 4, 5, 15, 27, 30, 31, 32, 33, 64, emulated::most_neighbors})) {
    CAPTURE(k);
    const Data data(uniform_cloud(k + 12, model.dim, 3), 2);
    check_close(with_few_targets(data, k).view(), model.covariance);
  }
}

TEST_CASE("sums in single precision by teams in the device's memory") {
  const emulated::Fresh device;
  emulated::state().limits.shared_per_block = 1 << 10;
  for (const int k : {5, 13, 41}) {
    CAPTURE(k);
    const Model model = structures().back();
    const Data data(uniform_cloud(k + 3, model.dim, 3), 2);
    check_close(make_problem(data, k).view(), model.covariance);
  }
  CHECK(emulated::state().used_device_memory);
}

TEST_CASE("sums in single precision for several outputs") {
  const emulated::Fresh device;
  for (const Model& model : some_of(models_of_outputs())) {
    CAPTURE(model.name);
    const OutputData data(40, model.dim, 2);
    const LocalProblem problem(data.view(), neighbors_before(data.data, 11), {}, with_threads(1));
    check_close(problem.view(), model.covariance);
  }
}

TEST_CASE("teams of several threads agree with each other in single precision" * extended) {
  for (const int threads : {2, 3, 8})
    for (const int k : {1, 5, 13, 41}) {
      const Model model = threads == 3 ? structures().front() : structures().back();
      CAPTURE(threads);
      CAPTURE(k);
      const emulated::Fresh device(threads);
      const Data data(uniform_cloud(k + 4, model.dim, 3), 2);
      check_close(with_few_targets(data, k).view(), model.covariance);
    }
}

// Coordinates are metres of a map's grid, with points a metre from each other. Floats of this size differ by half a
// metre.
TEST_CASE("places far off from the origin lose nothing in single precision") {
  const emulated::Fresh device;
  for (Model model : some_of(families())) {
    CAPTURE(model.name);
    Cloud cloud = uniform_cloud(60, 2, 3);
    for (std::size_t i = 0; i < cloud.coords.size(); ++i) cloud.coords[i] = cloud.coords[i] * 8.0 + (i % 2 ? 5e6 : 4e5);
    for (double& range : model.covariance.components[0].range) range *= 8.0;
    const Data data(cloud, 2);
    check_close(make_problem(data, 12).view(), model.covariance);
  }
}

// The second pivot is of the size of the squared distance of the two, 1e-6 ranges. It is above the rule of double
// precision, and below that of single precision.
TEST_CASE("a matrix that fails in single precision only names its target there") {
  const emulated::Fresh device;
  Data data(uniform_cloud(50, 2, 3), 2);
  const NeighborTable neighbors = neighbors_before(data, 8);
  const int row = 20, other = neighbors[row][0];
  data.cloud.coords[2 * row] = data.cloud.coords[2 * other] + 3e-4;
  data.cloud.coords[2 * row + 1] = data.cloud.coords[2 * other + 1];
  Covariance covariance = model("", {component(Family::matern, 1.0, {0.3}, {0, 0}, 1.5)}, true).covariance;
  covariance.nugget = 0.0;
  const LocalProblem problem(data.view(), neighbors, {}, with_threads(1));
  const PreparedCovariance prepared = prepare(covariance, 2, true);
  const DeviceView view(emulated::backend(), problem.view());
  CHECK(view.run(VecchiaSums{true}, prepared, emulated::on_emulated()).failed == -1);
  const Index failed = view.run(VecchiaSums{true}, prepared, in_single()).failed;
  REQUIRE(failed >= 0);
  CHECK(view.run(ConditionalGradient{}, prepared, in_single()).failed == failed);
}

TEST_CASE("weights and their adjoints are in double precision whatever is asked for") {
  const emulated::Fresh device;
  const Model model = structures().front();
  const LocalProblem problem = make_problem(40, model.dim, 9, 2);
  LocalView field = problem.view();
  field.target_values = nullptr;
  const PreparedCovariance prepared = prepare(model.covariance, field.dim, true);
  const DeviceView view(emulated::backend(), field);
  const auto weights = [&](const RunContext& context) {
    std::vector<double> weighted(std::size_t(field.targets * field.columns)), variance(std::size_t(field.targets));
    view.run(ConditionalWeights{false, weighted.data(), variance.data()}, prepared, context);
    weighted.insert(weighted.end(), variance.begin(), variance.end());
    return weighted;
  };
  CHECK(weights(in_single()) == weights(emulated::on_emulated()));
}

TEST_CASE("a team needs half of the memory in single precision") {
  const Model model = families()[1];
  const LocalProblem problem = make_problem(60, 2, 30, 2);
  const PreparedCovariance prepared = prepare(model.covariance, 2, true);
  PackedCovariance<double> exact(prepared);
  PackedCovariance<float> rounded(prepared);
  const long long in_double = team_memory(TeamVecchiaSums<true, double>{problem.view(), exact.at(exact.memory())});
  const long long in_floats = team_memory(TeamVecchiaSums<true, float>{problem.view(), rounded.at(rounded.memory())});
  CHECK(in_floats < in_double * 55 / 100);
  CHECK(in_floats > in_double * 45 / 100);
}
