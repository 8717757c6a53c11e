#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/run_context.h"
#include "base/unset_vector.h"
#include "geometry/points.h"

namespace neargp {

// A kd-tree over some rows of a point set, cut at medians of the widest side.
//
//   Leaves   Every leaf contains leaf_size points, only the last one fewer. No space is lost, and loops over a leaf are
//            of constant length, so that compilers vectorise them. Coordinates are copied in leaf order, one array of
//            leaf_size per dimension. Slots beyond the end of the last leaf contain NaN, whose distance compares false
//            with everything. Rows are ascending within a leaf.
//   Nodes    Nodes are numbered in preorder. The left child follows its parent, and the right child follows the left
//            subtree of 2 * leaves - 1 nodes. The number of a node and its range of leaves therefore identify it.
//   Boxes    Each node stores the tight bounding box of the points below it.
class KdTree {
 public:
  static constexpr int leaf_size = 16;

  struct Node {
    Index id;
    Index first_leaf, last_leaf;  // [first, last)

    bool is_leaf() const { return last_leaf - first_leaf == 1; }
    Index middle() const { return first_leaf + (last_leaf - first_leaf) / 2; }
    Node left() const { return {id + 1, first_leaf, middle()}; }
    Node right() const { return {id + 2 * (middle() - first_leaf), middle(), last_leaf}; }
  };

  // Nodes are cut at medians. Rows that are already in the order of a curve can be cut where the list is: only small
  // nodes are then cut at medians, which keep their boxes tight.
  enum class Cuts { medians, along_list };

  KdTree(Points points, const UnsetVector<int>& rows, const RunContext& context, Cuts cuts = Cuts::medians);
  KdTree(Points points, const RunContext& context);

  int dim() const { return dim_; }
  Index size() const { return n_; }
  Index leaves() const { return (n_ + leaf_size - 1) / leaf_size; }
  Index nodes() const { return std::max<Index>(2 * leaves() - 1, 0); }
  Node root() const { return {0, 0, leaves()}; }

  int leaf_count(Index leaf) const { return int(std::min<Index>(leaf_size, n_ - leaf * leaf_size)); }
  const int* leaf_rows(Index leaf) const { return rows_.data() + leaf * leaf_size; }
  const double* leaf_coords(Index leaf) const { return coords_.data() + leaf * leaf_size * dim_; }
  const double* low(Index node) const { return boxes_.data() + node * 2 * dim_; }
  const double* high(Index node) const { return low(node) + dim_; }

  // The rows in leaf order: neighbours in space are neighbours in this list.
  std::vector<int> leaf_order() const { return {rows_.begin(), rows_.begin() + n_}; }

 private:
  struct Entry {
    double key;
    int row;
  };

  void split(Points points, UnsetVector<Entry>& entries, Node node) const;
  void build_subtree(Points points, UnsetVector<Entry>& entries, Node node);
  void fill_leaf(Points points, UnsetVector<Entry>& entries, Node node);
  void join_boxes(Node node);

  int dim_;
  Index n_;
  UnsetVector<int> rows_;       // leaves * leaf_size, -1 beyond the end
  UnsetVector<double> coords_;  // leaves * dim * leaf_size
  UnsetVector<double> boxes_;   // nodes * 2 * dim
};

// Distance between the nearest points of two boxes.
inline double squared_distance_of_boxes(const double* low_a, const double* high_a, const double* low_b,
                                        const double* high_b, int dim) {
  double sum = 0.0;
  for (int c = 0; c < dim; ++c) {
    const double below = low_b[c] - high_a[c], above = low_a[c] - high_b[c];
    const double outside = below > above ? below : above;
    const double gap = outside > 0.0 ? outside : 0.0;
    sum += gap * gap;
  }
  return sum;
}

// Distance to the nearest point of a box. Rounding is monotone, so this never exceeds the computed distance to a
// point inside the box, and pruning by it is exact.
inline double squared_distance_to_box(const double* x, const double* low, const double* high, int dim) {
  return squared_distance_of_boxes(x, x, low, high, dim);
}

// Distance to the farthest point of a box.
inline double farthest_squared_distance(const double* x, const double* low, const double* high, int dim) {
  double sum = 0.0;
  for (int c = 0; c < dim; ++c) {
    const double side = std::max(x[c] - low[c], high[c] - x[c]);
    sum += side * side;
  }
  return sum;
}

// Squared distances of one leaf's points from x. Loops of this shape (constant length, no branches) become vector
// instructions at plain -O2 with GCC and clang.
inline void leaf_distances(const double* leaf_coords, const double* x, int dim, double* result) {
  constexpr int size = KdTree::leaf_size;
  for (int s = 0; s < size; ++s) result[s] = (leaf_coords[s] - x[0]) * (leaf_coords[s] - x[0]);
  for (int c = 1; c < dim; ++c) {
    const double* column = leaf_coords + c * size;
    const double at = x[c];
    for (int s = 0; s < size; ++s) result[s] += (column[s] - at) * (column[s] - at);
  }
}

// Squared distances of the box from `low` to `high` to leaf_size boxes at a time. `boxes` contains for each dimension
// leaf_size lower sides, then leaf_size upper ones. The term (t + |t|) / 2 equals max(t, 0) exactly, and unlike a
// comparison it vectorises. Between separate boxes only one of the two terms is not zero.
inline void box_distances(const double* boxes, const double* low, const double* high, int dim, double* result) {
  constexpr int size = KdTree::leaf_size;
  for (int s = 0; s < size; ++s) result[s] = 0.0;
  for (int c = 0; c < dim; ++c) {
    const double* lows = boxes + 2 * c * size;
    const double* highs = lows + size;
    const double at_low = low[c], at_high = high[c];
    for (int s = 0; s < size; ++s) {
      const double below = lows[s] - at_high, above = at_low - highs[s];
      const double gap = 0.5 * ((below + std::fabs(below)) + (above + std::fabs(above)));
      result[s] += gap * gap;
    }
  }
}

}  // namespace neargp
