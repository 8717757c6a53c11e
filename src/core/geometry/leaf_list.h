#pragma once

#include <algorithm>
#include <vector>

#include "geometry/box_runs.h"
#include "geometry/kd_tree.h"

namespace neargp {

// The leaves near a block of queries, nearest first, with their boxes in runs.
class LeafList {
 public:
  using Node = KdTree::Node;
  static constexpr std::size_t run_length = BoxRuns::length;

  struct Leaf {
    double distance2;  // from the box of the block
    Node node;
    bool operator<(const Leaf& other) const {
      return distance2 < other.distance2 || (distance2 == other.distance2 && node.first_leaf < other.node.first_leaf);
    }
  };

  // Lists all leaves below nodes for which is_near(node, distance2) is true. It also sets the node's squared distance
  // from the block.
  template <class IsNear>
  void fill(const KdTree& tree, const IsNear& is_near) {
    leaves_.clear();
    pending_.assign(1, tree.root());
    while (!pending_.empty()) {
      const Node node = pending_.back();
      pending_.pop_back();
      double distance2;
      if (!is_near(node, distance2)) continue;
      if (node.is_leaf()) {
        leaves_.push_back({distance2, node});
      } else {
        pending_.push_back(node.left());
        pending_.push_back(node.right());
      }
    }
    std::sort(leaves_.begin(), leaves_.end());
    gather_boxes(tree);
  }

  std::size_t size() const { return leaves_.size(); }
  const Leaf& operator[](std::size_t i) const { return leaves_[i]; }

  // For the run that begins with leaf `first`.
  const double* boxes(std::size_t first) const { return boxes_[first / run_length]; }

 private:
  void gather_boxes(const KdTree& tree) {
    boxes_.start(leaves_.size(), tree.dim());
    for (std::size_t i = 0; i < leaves_.size(); ++i)
      boxes_.set(i, tree.low(leaves_[i].node.id), tree.high(leaves_[i].node.id));
  }

  std::vector<Leaf> leaves_;
  BoxRuns boxes_;
  std::vector<Node> pending_;
};

}  // namespace neargp
