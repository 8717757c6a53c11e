#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "geometry/box_runs.h"
#include "geometry/kd_tree.h"
#include "geometry/leaf_kernels.h"

namespace neargp {

// The boxes of all leaves of a tree, side by side. In many dimensions a comparison with all of them takes less time
// than the way down the tree, which excludes little. A box around each run of leaves keeps this so for millions of
// points.
class LeafBoxes {
 public:
  explicit LeafBoxes(const KdTree& tree) : dim_(tree.dim()) {
    leaves_.reserve(tree.leaves());
    if (tree.leaves() > 0) append_leaves(tree.root());
    boxes_.start(leaves_.size(), dim_);
    around_runs_.start(boxes_.runs(), dim_);
    std::vector<double> low(dim_), high(dim_);
    for (std::size_t i = 0; i < leaves_.size(); ++i) {
      const double* own_low = tree.low(leaves_[i].id);
      const double* own_high = tree.high(leaves_[i].id);
      boxes_.set(i, own_low, own_high);
      for (int c = 0; c < dim_; ++c) {
        low[c] = i % BoxRuns::length == 0 ? own_low[c] : std::min(low[c], own_low[c]);
        high[c] = i % BoxRuns::length == 0 ? own_high[c] : std::max(high[c], own_high[c]);
      }
      if ((i + 1) % BoxRuns::length == 0 || i + 1 == leaves_.size())
        around_runs_.set(i / BoxRuns::length, low.data(), high.data());
    }
  }

  // Lists the runs of leaves whose squared distance from the box from `low` to `high` is at most `bound2`, and a few
  // beyond it by rounding. Those nearest to the middle of the box come first, where a search finds its neighbours.
  void list_runs(const double* low, const double* high, double bound2, const LeafKernels& kernels,
                 std::vector<std::size_t>& runs) const {
    std::vector<std::pair<double, std::size_t>> listed;
    const double bound = with_rounding(bound2, dim_);
    for (std::size_t group = 0; group < around_runs_.runs(); ++group)
      for (unsigned near = kernels.boxes_within(around_runs_[group], low, high, dim_, bound); near; near &= near - 1) {
        const std::size_t s = std::size_t(__builtin_ctz(near));
        listed.emplace_back(distance_from_middle(group, s, low, high), group * BoxRuns::length + s);
      }
    std::sort(listed.begin(), listed.end());
    runs.clear();
    for (const auto& run : listed) runs.push_back(run.second);
  }

  // Calls visit(leaf) for the leaves of a run as near to x.
  template <class Visit>
  void for_leaves_within(std::size_t run, const double* x, double bound2, const LeafKernels& kernels,
                         const Visit& visit) const {
    unsigned near = kernels.boxes_within(boxes_[run], x, x, dim_, with_rounding(bound2, dim_));
    for (; near; near &= near - 1) visit(leaves_[run * BoxRuns::length + std::size_t(__builtin_ctz(near))]);
  }

 private:
  double distance_from_middle(std::size_t group, std::size_t s, const double* low, const double* high) const {
    double sum = 0.0;
    for (int c = 0; c < dim_; ++c) {
      const double* lows = around_runs_[group] + 2 * c * BoxRuns::length;
      const double middle = 0.5 * (low[c] + high[c]);
      const double gap = std::max({0.0, lows[s] - middle, middle - lows[BoxRuns::length + s]});
      sum += gap * gap;
    }
    return sum;
  }

  void append_leaves(KdTree::Node node) {
    if (node.is_leaf()) return leaves_.push_back(node);
    append_leaves(node.left());
    append_leaves(node.right());
  }

  int dim_;
  std::vector<KdTree::Node> leaves_;
  BoxRuns boxes_, around_runs_;
};

}  // namespace neargp
