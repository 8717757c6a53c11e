// Counts the work of the maxmin order and of the search of earlier neighbours on an interpreted GPU
// (tests/cpp/interpreted). Compares both with the CPU's. Built and started by bench/cuda-count-order.sh.
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include <cstdio>
#include <cstdlib>
#include <map>
#include <stdexcept>
#include <string>

#include "curve_engine.h"
#include "geometry/maxmin.h"
#include "geometry/neighbors.h"
#include "geometry/ordering.h"
#include "geometry_fixtures.h"
#include "interpreted_device.h"

using namespace neargp;

namespace {

struct Work {
  std::int64_t launches = 0, instructions = 0, in_double = 0, clocks = 0;
};

// The task in the name of a kernel, which is a template.
std::string task_of(const std::string& kernel) {
  for (const char* task : {"BoundLeaves", "RaiseBoxes", "RaiseChampions", "TeamChoose", "TeamLower", "TeamEarlier"})
    if (kernel.find(task) != std::string::npos) return task;
  throw std::runtime_error("Another kernel was launched: " + kernel);
}

// A row of the table for each task. Clocks are those of the slowest warp of each launch, if it were alone.
void write_rows(const char* part, int n, int dim) {
  std::map<std::string, Work> works;
  for (const ptx::CountedLaunch& launch : ptx::gpu().counted) {
    Work& work = works[task_of(launch.kernel)];
    ++work.launches;
    work.instructions += launch.counts.instructions;
    work.in_double += launch.counts.in_double;
    work.clocks += launch.counts.clocks;
  }
  for (const auto& [task, work] : works)
    std::printf("%s,%d,%d,%s,%lld,%.0f,%.0f,%.0f,%lld,%lld\n", part, n, dim, task.c_str(), (long long)work.launches,
                double(work.instructions), double(work.in_double), double(work.clocks),
                (long long)ptx::gpu().uploaded_bytes, (long long)ptx::gpu().downloaded_bytes);
  std::fflush(stdout);
}

void start_counting() {
  const emulated::Fresh device;
  ptx::gpu().counted.clear();
  ptx::gpu().is_counting = true;
}

}  // namespace

// Arguments: rows and coordinates of a uniform set, and k.
int main(int, char** arguments) {
  const int n = std::atoi(arguments[1]), dim = std::atoi(arguments[2]), k = std::atoi(arguments[3]);
  const fixtures::Cloud cloud = fixtures::uniform_cloud(n, dim);
  const std::vector<int> expected = maxmin_order(cloud.view(), RunContext());
  start_counting();
  const std::vector<int> order = maxmin_order(cloud.view(), fixtures::along_curve());
  if (order != expected) throw std::runtime_error("The orders differ.");
  write_rows("order", n, dim);
  start_counting();
  const NeighborTable table = nearest_before(cloud.view(), order, k, fixtures::along_curve());
  if (table.index != nearest_before(cloud.view(), order, k, RunContext()).index)
    throw std::runtime_error("The neighbours differ.");
  write_rows("neighbors", n, dim);
}
