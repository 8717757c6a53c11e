#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "geometry/block_search.h"
#include "geometry/kd_tree.h"
#include "geometry/leaf_boxes.h"
#include "geometry/leaf_kernels.h"
#include "geometry/nearest_buffer.h"

namespace neargp {

// The search of BlockSearch in many dimensions, where a query has to see a large part of the leaves. It compares the
// boxes of all of them in the widest registers, instead of going down the tree. Distances are computed in full only for
// the points that are near enough. The result is the same: the k smallest by distance and row.
template <class Eligible>
class FlatSearch {
 public:
  FlatSearch(const KdTree& tree, const LeafBoxes& leaves, const Eligible& eligible, int k)
      : tree_(tree), leaves_(leaves), eligible_(eligible), kernels_(leaf_kernels()), k_(k), nearest_(k) {}

  void run(const std::vector<Query>& queries, const double* low, const double* high) {
    radius_.clear();
    for (std::size_t i = 0; i < queries.size(); ++i) {
      if (i == 0) {
        search_all(queries[0]);
      } else {
        if (i == 1) list_runs_of_block(queries, low, high);
        const double bound2 = initial_bound2(queries, i);
        search(queries[i], bound2);
        // Rounding can make this limit too small.
        if (bound2 < infinity && nearest_.size() < k_) {
          search_all(queries[i]);
          list_runs_of_block(queries, low, high);
        }
      }
      write(queries[i]);
    }
  }

 private:
  using Node = KdTree::Node;

  static constexpr double infinity = std::numeric_limits<double>::infinity();

  // The k-th of the first rows on the way down the tree bounds the distance of the k-th neighbour.
  void search_all(const Query& query) {
    nearest_.start(infinity);
    scan_first(query, tree_.root());
    const double bound2 = nearest_.finish() < k_ ? infinity : nearest_[k_ - 1].distance2;
    leaves_.list_runs(query.x, query.x, bound2, kernels_, runs_);
    search(query, bound2);
  }

  void scan_first(const Query& query, Node node) {
    if (nearest_.size() >= k_ || eligible_.skips(node.id, query.limit)) return;
    if (node.is_leaf()) return scan(query, node);
    const bool left_first = box_distance2(query, node.left()) <= box_distance2(query, node.right());
    scan_first(query, left_first ? node.left() : node.right());
    scan_first(query, left_first ? node.right() : node.left());
  }

  double box_distance2(const Query& query, Node node) const {
    return squared_distance_to_box(query.x, tree_.low(node.id), tree_.high(node.id), tree_.dim());
  }

  void search(const Query& query, double bound2) {
    nearest_.start(bound2);
    for (const std::size_t run : runs_)
      leaves_.for_leaves_within(run, query.x, nearest_.bound().distance2, kernels_, [&](Node leaf) {
        if (!eligible_.skips(leaf.id, query.limit) && is_in_reach(query, leaf)) scan(query, leaf);
      });
    nearest_.finish();
  }

  // Among many points at one location, the tie rule excludes most leaves (BlockSearch). It can do so only where the
  // largest distance so far is that of a row with a lower number.
  bool is_in_reach(const Query& query, Node leaf) const {
    const int first_row = tree_.leaf_rows(leaf.first_leaf)[0];
    return nearest_.bound().row > first_row || box_distance2(query, leaf) < nearest_.bound().distance2;
  }

  // The formula of the distance is that of leaf_distances().
  void scan(const Query& query, Node leaf) {
    const double* coords = tree_.leaf_coords(leaf.first_leaf);
    const int* rows = tree_.leaf_rows(leaf.first_leaf);
    const Index first_slot = leaf.first_leaf * KdTree::leaf_size;
    const double bound2 = with_rounding(nearest_.bound().distance2, tree_.dim());
    for (unsigned near = kernels_.points_within(coords, query.x, tree_.dim(), bound2); near; near &= near - 1) {
      const int s = __builtin_ctz(near);
      if (!eligible_.accepts(first_slot + s, query.limit)) continue;
      double distance2 = (coords[s] - query.x[0]) * (coords[s] - query.x[0]);
      for (int c = 1; c < tree_.dim(); ++c) {
        const double side = coords[c * KdTree::leaf_size + s] - query.x[c];
        distance2 += side * side;
      }
      nearest_.offer({distance2, rows[s]});
    }
  }

  void list_runs_of_block(const std::vector<Query>& queries, const double* low, const double* high) {
    double reach = 0.0;
    for (const Query& query : queries) reach = std::max(reach, radius_[0] + distance(query, queries[0]));
    leaves_.list_runs(low, high, reach * reach, kernels_, runs_);
  }

  double distance(const Query& a, const Query& b) const { return std::sqrt(squared_distance(a.x, b.x, tree_.dim())); }

  double initial_bound2(const std::vector<Query>& queries, std::size_t i) const {
    double reach = infinity;
    for (std::size_t j = 0; j < i; ++j) reach = std::min(reach, radius_[j] + distance(queries[i], queries[j]));
    return reach * reach;
  }

  void write(const Query& query) {
    const int found = nearest_.size();
    for (int i = 0; i < found; ++i) query.result[i] = nearest_[i].row;
    radius_.push_back(found == k_ ? std::sqrt(nearest_[k_ - 1].distance2) : infinity);
  }

  const KdTree& tree_;
  const LeafBoxes& leaves_;
  const Eligible& eligible_;
  const LeafKernels& kernels_;
  const int k_;
  NearestBuffer nearest_;
  std::vector<double> radius_;  // distance of the k-th neighbour of the queries answered so far
  std::vector<std::size_t> runs_;
};

}  // namespace neargp
