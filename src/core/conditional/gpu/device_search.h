// The NeighborEngine of a device (geometry/neighbor_engine.h): all pairs, by teams, and trees along a curve.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "conditional/gpu/device_curve_engine.h"
#include "conditional/gpu/evaluation.h"
#include "conditional/gpu/nearest.h"
#include "geometry/neighbor_engine.h"

namespace neargp {

template <class Device>
class DeviceSearch {
 public:
  static constexpr NeighborEngine engine(const char* name) { return {name, search, pays, &curve_engine<Device>}; }

 private:
  static void search(const NeighborRequest& request, const RunContext& context) {
    if (request.k == 0 || request.queries.n == 0 || request.reference.n == 0) return;
    Device::use(Device::current());
    DeviceArray<Device, double> reference;
    DeviceArray<Device, int> label;
    reference.upload(by_coordinate(request.reference).data(), request.reference.n * request.reference.dim);
    if (request.label) label.upload(request.label, request.reference.n);

    TeamNearest task{};
    task.reference = reference.data();
    task.label = label.data();
    task.n = request.reference.n;
    task.dim = request.reference.dim;
    task.k = request.k;
    Queries queries;
    const Index part = queries_per_launch(request);
    for (Index first = 0; first < request.queries.n; first += part) {
      const Index count = std::min(part, request.queries.n - first);
      queries.run(task, request, first, count);
      if (context.check_interrupt) context.check_interrupt();
      if (context.progress) context.progress(double(first + count) / double(request.queries.n));
    }
  }

  static std::vector<double> by_coordinate(Points points) {
    std::vector<double> coords(std::size_t(points.n) * points.dim);
    for (Index j = 0; j < points.n; ++j)
      for (int d = 0; d < points.dim; ++d) coords[d * points.n + j] = points[j][d];
    return coords;
  }

  // Operations of one comparison: a difference, its square and a sum for each coordinate, and the judgement.
  static double operations(Points reference) { return 3.0 * reference.dim + 10.0; }

  // The memory of a query, with limits and labels, which some requests lack.
  static double bytes_per_query(const NeighborRequest& request) {
    return 8.0 * request.queries.dim + 4.0 * request.k + 8.0;
  }
  static double bytes_per_point(const NeighborRequest& request) { return 8.0 * request.reference.dim + 4.0; }

  // Fewer in a launch would leave teams without work.
  static constexpr double least_queries = 1024.0;

  // The number of queries that a launch has time for, and no more than fit.
  static Index queries_per_launch(const NeighborRequest& request) {
    const double by_time = operations_per_launch / (operations(request.reference) * double(request.reference.n));
    const double by_memory = 0.5 * double(Device::free_bytes()) / bytes_per_query(request);
    return std::max<Index>(1,
                           Index(std::min({std::max(by_time, least_queries), by_memory, double(request.queries.n)})));
  }

  static bool fits(const NeighborRequest& request) {
    const double needed = double(request.reference.n) * bytes_per_point(request) +
                          2.0 * least_queries * bytes_per_query(request);  // one half is for teams
    return needed <= double(Device::free_bytes());
  }

  // Some queries and their results on the device.
  struct Queries {
    DeviceArray<Device, double> points;
    DeviceArray<Device, unsigned char> large_memory;
    DeviceArray<Device, int> limit, excluded, index;
    DeviceArray<Device, Index> failed;

    void run(TeamNearest task, const NeighborRequest& request, Index first, Index count) {
      points.upload(request.queries[first], count * task.dim);
      if (request.limit) limit.upload(request.limit + first, count);
      if (request.excluded) excluded.upload(request.excluded + first, count);
      index.reserve(count * task.k);
      task.queries = points.data();
      task.limit = limit.data();
      task.excluded = excluded.data();
      task.index = index.data();
      task.count = count;

      const Index groups = (count + TeamNearest::group - 1) / TeamNearest::group;
      LaunchDemand demand{1, team_memory(task), 0, groups};
      demand.whole_warps = true;  // teams sort when their own stores are full
      const LaunchPlan plan = plan_launch(Device::limits(), demand, Device::free_bytes());
      failed.fill(0xff, plan.teams());
      if (!plan.in_shared) large_memory.reserve(plan.teams() * plan.team_bytes);
      Device::launch(task, TargetRange{0, groups, plan.teams()}, plan,
                     LaunchMemory{nullptr, large_memory.data(), failed.data()});
      Device::synchronize();
      index.download(request.index + first * task.k, count * task.k);
    }
  };

  // A rule on paper (bench/notes/cuda.md). The tree, in nanoseconds for a query and a thread: it looks at about k 2^d
  // points, at worst at all of them, and takes a nanosecond for each coordinate. The device: its rate in double
  // precision is at least two operations a clock and multiprocessor, on those made for it 32 or 64.
  static bool pays(const NeighborRequest& request, const RunContext& context) {
    Device::use(Device::current());
    if (!fits(request)) return false;
    const double n = double(request.reference.n), dim = request.reference.dim;
    const double visited = std::min(n, 2.0 * request.k * std::exp2(std::min(dim, 40.0)));
    const double tree = visited * (dim + 2.0) / std::max(1, context.threads);
    const double device = n * operations(request.reference) / (Device::operations_per_clock() * 1.2);
    return device < tree;
  }
};

}  // namespace neargp
