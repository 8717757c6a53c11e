#pragma once

#include <algorithm>
#include <vector>

#include "geometry/kd_tree.h"

namespace neargp {

// Farthest-point sampling as a tournament played on a kd-tree. Each leaf and each node stores its champion, the point
// below it that is farthest from all chosen points. The champion of the root is chosen next. A new point only shortens
// distances that are larger than the distance to it. The update therefore skips every node whose champion is nearer to
// the chosen points than the node's box is to the new point. Early points visit much of the tree and late ones only
// their surroundings: the r-th point of n changes about n / r distances, n log n altogether.
template <int Dim>
class Tournament {
 public:
  // `distance2_of(row)` is the squared distance at the start of a row of the tree.
  template <class DistanceOfRow>
  Tournament(const KdTree& tree, const DistanceOfRow& distance2_of)
      : tree_(tree), distance2_(tree.leaves() * KdTree::leaf_size, chosen), champion_(tree.nodes()) {
    const int* rows = tree.leaf_rows(0);
    for (Index slot = 0; slot < tree.size(); ++slot) distance2_[slot] = distance2_of(rows[slot]);
    crown(tree.root());
  }

  int champion() const { return champion_[0].row; }
  double distance2() const { return champion_[0].distance2; }

  // Chooses the champion, whose coordinates are x.
  void choose_champion(const double* x) { update(x, champion(), tree_.root()); }

 private:
  using Node = KdTree::Node;

  struct Champion {
    double distance2;  // to the nearest chosen point
    int row;
  };

  static constexpr double chosen = -1.0;  // below every distance

  int dim() const { return Dim > 0 ? Dim : tree_.dim(); }

  static Champion better(const Champion& a, const Champion& b) {
    return a.distance2 > b.distance2 || (a.distance2 == b.distance2 && a.row < b.row) ? a : b;
  }

  void crown(Node node) {
    if (node.is_leaf()) return crown_leaf(node);
    crown(node.left());
    crown(node.right());
    champion_[node.id] = better(champion_[node.left().id], champion_[node.right().id]);
  }

  // Rows ascend within a leaf, so the first of equals is the one with the smallest row.
  void crown_leaf(Node leaf) {
    const double* distance2 = distance2_.data() + leaf.first_leaf * KdTree::leaf_size;
    int best = 0;
    for (int s = 1; s < KdTree::leaf_size; ++s) best = distance2[s] > distance2[best] ? s : best;
    champion_[leaf.id] = {distance2[best], tree_.leaf_rows(leaf.first_leaf)[best]};
  }

  // A node changes only where a distance below it does or where its champion is the point chosen.
  void update(const double* x, int row, Node node) {
    if (node.is_leaf()) return update_leaf(x, row, node);
    bool changed = false;
    for (const Node& child : {node.left(), node.right()}) {
      const Champion& best = champion_[child.id];
      if (best.row != row &&
          squared_distance_to_box(x, tree_.low(child.id), tree_.high(child.id), dim()) >= best.distance2)
        continue;
      update(x, row, child);
      changed = true;
    }
    if (changed) champion_[node.id] = better(champion_[node.left().id], champion_[node.right().id]);
  }

  void update_leaf(const double* x, int row, Node leaf) {
    double new_distance2[KdTree::leaf_size];
    leaf_distances(tree_.leaf_coords(leaf.first_leaf), x, dim(), new_distance2);
    double* distance2 = distance2_.data() + leaf.first_leaf * KdTree::leaf_size;
    for (int s = 0; s < KdTree::leaf_size; ++s)
      distance2[s] = new_distance2[s] < distance2[s] ? new_distance2[s] : distance2[s];
    if (champion_[leaf.id].row == row) {
      const int* rows = tree_.leaf_rows(leaf.first_leaf);
      distance2[std::lower_bound(rows, rows + tree_.leaf_count(leaf.first_leaf), row) - rows] = chosen;
    }
    crown_leaf(leaf);
  }

  const KdTree& tree_;
  std::vector<double> distance2_;  // of each slot of the leaves to the nearest chosen point
  std::vector<Champion> champion_;
};

}  // namespace neargp
