// The memory of a tree of boxes (conditional/gpu/box_tree.h), and the launches that build it.
#pragma once

#include "base/unset_vector.h"
#include "conditional/gpu/box_tree.h"
#include "conditional/gpu/warp_launches.h"
#include "geometry/points.h"
#include "parallel/parallel_for.h"

namespace neargp {

// The coordinates of points along a curve, as CurvePoints takes them.
inline UnsetVector<double> gather_along_curve(Points points, const int* along_curve, const RunContext& context) {
  UnsetVector<double> x(points.n * points.dim);
  parallel_ranges(context, points.n, light_range, [&](Index first, Index last, Index) {
    for (Index i = first; i < last; ++i)
      for (int c = 0; c < points.dim; ++c) x[c * points.n + i] = points[along_curve[i]][c];
  });
  return x;
}

template <class Device>
class DeviceBoxTree {
 public:
  void build(const CurvePoints& points, int leaf_size, WarpLaunches<Device>& launches) {
    shape_ = tree_shape(points.size, leaf_size);
    boxes_ = reserve_boxes(sides_, shape_, points.dim);
    launches.run(BoundLeaves{points, boxes_, shape_.bottom(), leaf_size}, runs_of_nodes(shape_.bottom()));
    raise(boxes_, launches);
  }

  // Makes the boxes of all levels above the leaves, which are given.
  void raise(const NodeBoxes& boxes, WarpLaunches<Device>& launches) const {
    for (TreeLevel level = shape_.bottom(); level.last < shape_.nodes;) {
      level = level.above();
      launches.run(RaiseBoxes{boxes, level}, runs_of_nodes(level));
    }
  }

  static NodeBoxes reserve_boxes(DeviceArray<Device, double>& sides, const TreeShape& shape, int dim) {
    sides.reserve(2 * dim * Index(shape.nodes));
    return {sides.data(), shape.nodes, dim};
  }

  const TreeShape& shape() const { return shape_; }
  const NodeBoxes& boxes() const { return boxes_; }

 private:
  TreeShape shape_{};
  NodeBoxes boxes_{};
  DeviceArray<Device, double> sides_;
};

}  // namespace neargp
