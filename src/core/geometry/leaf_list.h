#pragma once

#include <algorithm>
#include <limits>
#include <vector>

#include "geometry/kd_tree.h"

namespace neargp {

// The leaves near a block of queries, nearest first. Their boxes lie side by side in runs of leaf_size, as
// box_distances() takes them, and NaN fills the last run.
class LeafList {
 public:
  using Node = KdTree::Node;
  static constexpr std::size_t run_length = KdTree::leaf_size;

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
  const double* boxes(std::size_t first) const { return boxes_.data() + first * 2 * dim_; }

 private:
  void gather_boxes(const KdTree& tree) {
    dim_ = tree.dim();
    const std::size_t runs = (leaves_.size() + run_length - 1) / run_length;
    boxes_.assign(runs * 2 * dim_ * run_length, std::numeric_limits<double>::quiet_NaN());
    for (std::size_t i = 0; i < leaves_.size(); ++i) {
      const double* box = tree.low(leaves_[i].node.id);
      double* place = boxes_.data() + i / run_length * 2 * dim_ * run_length + i % run_length;
      for (std::size_t c = 0; c < dim_; ++c) {
        place[2 * c * run_length] = box[c];
        place[(2 * c + 1) * run_length] = box[dim_ + c];
      }
    }
  }

  std::size_t dim_ = 0;
  std::vector<Leaf> leaves_;
  std::vector<double> boxes_;
  std::vector<Node> pending_;
};

}  // namespace neargp
