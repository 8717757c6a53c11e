// The maxmin order on a device: CurveEngine::maxmin (geometry/neighbor_engine.h), by the tasks of
// conditional/gpu/maxmin.h.
#pragma once

#include <limits>

#include "base/unset_vector.h"
#include "conditional/gpu/device_box_tree.h"
#include "conditional/gpu/maxmin.h"
#include "geometry/neighbor_engine.h"
#include "parallel/parallel_for.h"

namespace neargp {

template <class Device>
class DeviceMaxmin {
 public:
  static void run(const MaxminRequest& request, const RunContext& context) {
    Device::use(Device::current());
    DeviceMaxmin(request, context).choose_all(request);
  }

  // The memory of a row: coordinates, distance and number, and its share of a leaf and of the nodes above.
  static double bytes_per_row(int dim) { return 8.0 * dim + 12.0 + (33.0 / 32.0) * (32.0 * dim + 20.0) / leaf_size; }

 private:
  static constexpr int leaf_size = MaxminTree::leaf_size;
  // The host looks at the largest distance after this many rounds, since each look waits for the device.
  static constexpr int rounds_between_looks = 4;
  // 100,000 uniform rows in the plane need 60 rounds, and a lattice in space 280. Clusters that are small next to their
  // distances need thousands, since all of their leaves prevent each other. The host is faster then.
  static constexpr int first_rounds = 256, rounds_for_each_half = 32;

  DeviceMaxmin(const MaxminRequest& request, const RunContext& context) : context_(context) {
    context_.progress = nullptr;
    upload_points(request);
    tree_.points = {x_.data(), nullptr, request.points.n, request.points.n, request.points.dim};
    tree_.row = row_.data();
    tree_.distance2 = distance2_.data();
    boxes_.build(tree_.points, leaf_size, launches_);
    tree_.shape = boxes_.shape();
    tree_.boxes = boxes_.boxes();
    tree_.chosen = DeviceBoxTree<Device>::reserve_boxes(chosen_, tree_.shape, request.points.dim);
    reserve_champions();
    raise_champions(tree_.shape.bottom());
  }

  // The first row wins the first round, since its distance is larger than all others.
  void upload_points(const MaxminRequest& request) {
    const Index n = request.points.n;
    UnsetVector<double> distance2(n);
    parallel_ranges(context_, n, light_range, [&](Index first, Index last, Index) {
      for (Index i = first; i < last; ++i)
        distance2[i] = request.along_curve[i] == request.first ? std::numeric_limits<double>::infinity()
                                                               : std::numeric_limits<double>::max();
    });
    x_.upload(gather_along_curve(request.points, request.along_curve, context_).data(), n * request.points.dim);
    row_.upload(request.along_curve, n);
    distance2_.upload(distance2.data(), n);
  }

  void reserve_champions() {
    const Index nodes = tree_.shape.nodes, leaves = tree_.shape.leaves;
    champion2_.reserve(nodes);
    champion_row_.reserve(nodes);
    champion_.reserve(leaves);
    blocker_.fill(0xff, leaves);
    tree_.champion2 = champion2_.data();
    tree_.champion_row = champion_row_.data();
    tree_.champion = champion_.data();
    tree_.blocker = blocker_.data();
  }

  void raise_champions(TreeLevel level) {
    for (; level.first < tree_.shape.nodes; level = level.above())
      launches_.run(RaiseChampions{tree_, level}, runs_of_nodes(level));
  }

  void choose_all(const MaxminRequest& request) {
    double half2 = std::numeric_limits<double>::infinity();  // of the largest distance some rounds ago
    for (int rounds = first_rounds; rounds > 0; rounds -= rounds_between_looks) {
      for (int round = 0; round < rounds_between_looks; ++round) choose();
      if (context_.check_interrupt) context_.check_interrupt();
      const double largest2 = largest_distance2();
      if (!(largest2 > 0.0)) break;
      if (largest2 > half2) continue;
      half2 = 0.5 * largest2;
      rounds += rounds_for_each_half;
    }
    download_distances(request);
  }

  void choose() {
    launches_.run(TeamChoose{tree_}, runs_of_nodes(tree_.shape.bottom()));
    boxes_.raise(tree_.chosen, launches_);
    launches_.run(TeamLower{tree_}, runs_of_nodes(tree_.shape.bottom()));
    raise_champions(tree_.shape.bottom().above());
  }

  double largest_distance2() const {
    double largest2;
    Device::download(&largest2, champion2_.data() + tree_.shape.root(), sizeof largest2);
    return largest2;
  }

  void download_distances(const MaxminRequest& request) const {
    UnsetVector<double> distance2(request.points.n);
    distance2_.download(distance2.data(), request.points.n);
    parallel_ranges(context_, request.points.n, light_range, [&](Index first, Index last, Index) {
      for (Index i = first; i < last; ++i) request.distance2[request.along_curve[i]] = distance2[i];
    });
  }

  RunContext context_;
  WarpLaunches<Device> launches_;
  DeviceArray<Device, double> x_, distance2_, champion2_, chosen_;
  DeviceArray<Device, int> row_, champion_row_, champion_, blocker_;
  DeviceBoxTree<Device> boxes_;
  MaxminTree tree_{};
};

}  // namespace neargp
