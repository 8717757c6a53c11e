// Counts the work of Vecchia sums with gradient and information for a target, on an interpreted GPU
// (tests/cpp/interpreted). Compares the sums with the CPU's. Built and started by bench/cuda-count.sh.
#define DOCTEST_CONFIG_IMPLEMENT
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

#include "core_fixtures.h"
#include "interpreted_device.h"

using namespace neargp;

namespace {

using Sums = std::vector<double>;

// Matérn 3/2 with one range and a nugget, two dimensions, response and constant. Every conditioning set is full.
Sums vecchia_sums(int k, const RunContext& context) {
  const fixtures::Data data(fixtures::uniform_cloud(k + 20, 2, 4), 2);
  Covariance covariance;
  covariance.components = {fixtures::component(Family::matern, 1.3, {0.3}, {0, 0}, 1.5)};
  covariance.nugget = 0.1;
  covariance.active = {true, true, false, true};
  const PreparedCovariance prepared = prepare(covariance, 2, true);
  const LocalProblem problem(data.view(), fixtures::neighbors_others(data, k), {}, context);
  return problem.on_device().run(VecchiaSums{true}, prepared, context).sums;
}

template <class T>
T argument(const ptx::CountedLaunch& launch, int number) {
  T value;
  std::memcpy(&value, launch.arguments.at(number).data(), sizeof value);
  return value;
}

// The launch that computes the sums, which comes before the launch that adds those of the teams.
const ptx::CountedLaunch& launch_of_sums() {
  for (const ptx::CountedLaunch& launch : ptx::gpu().counted)
    if (launch.kernel.find("TeamVecchiaSums") != std::string::npos) return launch;
  throw std::runtime_error("No kernel of Vecchia sums was launched.");
}

void write_row(const std::string& precision, int k) {
  const ptx::CountedLaunch& launch = launch_of_sums();
  const TargetRange range = argument<TargetRange>(launch, 1);
  const LaunchPlan plan = argument<LaunchPlan>(launch, 2);
  const double rounds = std::ceil(double(range.count) / range.teams), targets = rounds * range.teams;
  const ptx::Counts& counts = launch.counts;
  std::printf("%s,%d,%d,%d", precision.c_str(), k, plan.team_threads, int(plan.team_bytes));
  for (const std::int64_t number : {counts.instructions, counts.constants, counts.in_double, counts.square_roots,
                                    counts.inverse_roots, counts.shared, counts.accesses})
    std::printf(",%.0f", number / targets);
  std::printf(",%.0f\n", counts.clocks / rounds);
}

}  // namespace

// Arguments: precision ("single" or "double"), and k.
int main(int, char** arguments) {
  const std::string precision = arguments[1];
  const int k = std::atoi(arguments[2]);
  emulated::Fresh device;
  ptx::gpu().limits.multiprocessors = ptx::gpu().limits.blocks_per_multiprocessor = 1;
  ptx::gpu().is_counting = true;
  RunContext on_gpu;
  on_gpu.backend = &emulated::backend();
  on_gpu.single_precision = precision == "single";
  const Sums sums = vecchia_sums(k, on_gpu), reference = vecchia_sums(k, RunContext());
  write_row(precision, k);
  double difference = 0.0, largest = 0.0;
  for (std::size_t i = 0; i < sums.size(); ++i) {
    difference = std::max(difference, std::abs(sums[i] - reference[i]));
    largest = std::max(largest, std::abs(reference[i]));
  }
  std::fprintf(stderr, "Largest difference from the CPU's sums, relative to the largest of them: %.0e\n",
               difference / largest);
}
