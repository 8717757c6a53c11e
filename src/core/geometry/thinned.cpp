#include <algorithm>

#include "base/error.h"
#include "geometry/kd_tree.h"
#include "geometry/leaf_order_search.h"
#include "geometry/neighbors.h"

namespace neargp {
namespace {

// Visits points and nodes of the tree around one query, nearest first. A node whose points are all too close to a taken
// point is left out as a whole, so that a crowd costs one visit, whatever its size.
class ThinnedSearch {
 public:
  ThinnedSearch(const KdTree& tree, double separation, int k)
      : tree_(tree), separation2_(separation * separation), k_(k) {}

  // Fills `result`, k rows: nearest first, -1 at the end.
  void run(const double* query, int* result) {
    waiting_.clear();
    taken_ = 0;
    positions_.clear();
    if (tree_.size() > 0) push(query, tree_.root());
    std::fill_n(result, k_, -1);
    while (!waiting_.empty() && taken_ < k_) {
      std::pop_heap(waiting_.begin(), waiting_.end());
      const Entry next = waiting_.back();
      waiting_.pop_back();
      if (next.is_point()) {
        if (!is_crowded(next)) take(next, result);
      } else if (!is_crowded(next.node, next.distance2)) {
        expand(query, next.node);
      }
    }
  }

 private:
  using Node = KdTree::Node;

  // A node comes before points at its distance, which may be among its own.
  struct Entry {
    double distance2;
    int row;  // -1 of a node
    const double* coords;
    Node node;

    bool is_point() const { return row >= 0; }
    bool operator<(const Entry& other) const {  // of a queue whose top is the largest
      return distance2 > other.distance2 || (distance2 == other.distance2 && row > other.row);
    }
  };

  void push(const double* query, Node node) {
    wait({squared_distance_to_box(query, tree_.low(node.id), tree_.high(node.id), tree_.dim()), -1, nullptr, node});
  }

  void wait(const Entry& entry) {
    waiting_.push_back(entry);
    std::push_heap(waiting_.begin(), waiting_.end());
  }

  void expand(const double* query, Node node) {
    if (!node.is_leaf()) {
      push(query, node.left());
      return push(query, node.right());
    }
    double distances2[KdTree::leaf_size];
    const double* coords = tree_.leaf_coords(node.first_leaf);
    leaf_distances(coords, query, tree_.dim(), distances2);
    for (int s = 0; s < tree_.leaf_count(node.first_leaf); ++s)
      wait({distances2[s], tree_.leaf_rows(node.first_leaf)[s], coords + s, node});
  }

  const double* position(int i) const { return positions_.data() + std::size_t(i) * tree_.dim(); }

  // The coordinates of a point in a leaf, next to each other.
  void gather(const Entry& point) {
    point_.resize(tree_.dim());
    for (int c = 0; c < tree_.dim(); ++c) point_[c] = point.coords[c * KdTree::leaf_size];
  }

  bool is_crowded(const Entry& point) {
    gather(point);
    const double limit2 = separation2_ * point.distance2;
    for (int i = 0; i < taken_; ++i)
      if (squared_distance(position(i), point_.data(), tree_.dim()) < limit2) return true;
    return false;
  }

  bool is_crowded(Node node, double distance2) const {
    const double limit2 = separation2_ * distance2;
    for (int i = 0; i < taken_; ++i)
      if (farthest_squared_distance(position(i), tree_.low(node.id), tree_.high(node.id), tree_.dim()) < limit2)
        return true;
    return false;
  }

  void take(const Entry& point, int* result) {
    result[taken_++] = point.row;
    positions_.insert(positions_.end(), point_.begin(), point_.end());
  }

  const KdTree& tree_;
  double separation2_;
  int k_, taken_ = 0;
  std::vector<Entry> waiting_;     // a heap whose top is the nearest
  std::vector<double> positions_;  // of the points that are taken
  std::vector<double> point_;
};

}  // namespace

NeighborTable nearest_thinned(const KdTree& tree, Points queries, double separation, int k, const RunContext& context) {
  if (!(separation >= 0.0 && separation < 1.0)) throw Error("The separation of neighbours must be in [0, 1).");
  return search_in_leaf_order(
      queries, k, [&] { return ThinnedSearch(tree, separation, k); }, context);
}

}  // namespace neargp
