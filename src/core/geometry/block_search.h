#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "geometry/kd_tree.h"
#include "geometry/leaf_list.h"
#include "geometry/nearest_buffer.h"

namespace neargp {

// Rules for the rows that a query may take as neighbours. `limit` belongs to the query. A node or leaf is skipped when
// none of its rows is eligible. `is_self()` returns whether a neighbour of another query is the query itself.
struct AnyRow {
  bool skips(Index /*node*/, int /*limit*/) const { return false; }
  bool accepts(Index /*slot*/, int /*limit*/) const { return true; }
  bool is_self(int /*row*/, int /*limit*/) const { return false; }
};

struct OtherRow {  // limit = the query's own row
  const KdTree* tree;
  bool skips(Index, int) const { return false; }
  bool accepts(Index slot, int limit) const { return tree->leaf_rows(0)[slot] != limit; }
  bool is_self(int row, int limit) const { return row == limit; }
};

struct EarlierRow {              // limit = the query's rank
  UnsetVector<int> rank;         // of the point in each slot of the leaves
  std::vector<int> lowest_rank;  // below each node
  bool skips(Index node, int limit) const { return lowest_rank[node] >= limit; }
  bool accepts(Index slot, int limit) const { return rank[slot] < limit; }
  bool is_self(int /*row*/, int /*limit*/) const { return false; }
};

struct Query {
  const double* x;
  int limit;
  int* result;  // k entries, already filled with -1
};

// Nearest-neighbour search for a block of queries that lie close together (the points of one leaf of a kd-tree).
//
// The first query searches the tree from its root. The triangle inequality puts the k-th neighbour of another query q
// of the block within d_k(p) + |p - q| for every query p answered before. It applies because q may use all rows that p
// may use. Queries come with ascending ranks, and where q itself is among the neighbours of p, p takes the place of q.
// One list of leaves around the block, nearest first, serves all its queries. The upper bound of the distance is nearly
// tight from the beginning, so few candidates are ever stored.
//
// Dim is the dimension of the points, known to the compiler. In more dimensions FlatSearch is faster.
template <int Dim, class Eligible>
class BlockSearch {
 public:
  BlockSearch(const KdTree& tree, const Eligible& eligible, int k)
      : tree_(tree), eligible_(eligible), k_(k), nearest_(k) {}

  void run(const std::vector<Query>& queries, const double* low, const double* high) {
    radius_.clear();
    search_from_root(queries[0]);
    write(queries[0]);
    if (queries.size() == 1) return;
    list_leaves(queries, low, high);
    for (std::size_t i = 1; i < queries.size(); ++i) {
      search_listed_leaves(queries[i], initial_bound2(queries, i));
      write(queries[i]);
    }
  }

 private:
  using Node = KdTree::Node;

  static constexpr std::size_t run_length = LeafList::run_length;
  static constexpr double infinity = std::numeric_limits<double>::infinity();

  double distance2(const double* x, Node node) const {
    return squared_distance_to_box(x, tree_.low(node.id), tree_.high(node.id), Dim);
  }

  // Among many points at one location, the k with the smallest rows are found first, because the tree splits them by
  // row. The tie rule then excludes the leaves of the others, so their number does not matter much.
  bool out_of_reach(double leaf_distance2, Node leaf) const {
    const Candidate nearest_in_leaf = {leaf_distance2, tree_.leaf_rows(leaf.first_leaf)[0]};
    return nearest_.bound() < nearest_in_leaf;
  }

  void search_from_root(const Query& query) {
    nearest_.start(infinity);
    descend(query, tree_.root(), 0.0);
  }

  void descend(const Query& query, Node node, double node2) {
    if (node2 > nearest_.bound().distance2 || eligible_.skips(node.id, query.limit)) return;
    if (node.is_leaf()) {
      if (!out_of_reach(node2, node)) scan(query, node);
      return;
    }
    const Node left = node.left(), right = node.right();
    const double left2 = distance2(query.x, left), right2 = distance2(query.x, right);
    if (left2 <= right2) {
      descend(query, left, left2);
      descend(query, right, right2);
    } else {
      descend(query, right, right2);
      descend(query, left, left2);
    }
  }

  void scan(const Query& query, Node leaf) {
    double distance2[KdTree::leaf_size];
    leaf_distances(tree_.leaf_coords(leaf.first_leaf), query.x, Dim, distance2);
    const Index first_slot = leaf.first_leaf * KdTree::leaf_size;
    nearest_.offer(distance2, tree_.leaf_rows(leaf.first_leaf),
                   [&](int s) { return eligible_.accepts(first_slot + s, query.limit); });
  }

  // Lists all leaves that can contain a neighbour of a query of the block.
  void list_leaves(const std::vector<Query>& queries, const double* low, const double* high) {
    double reach2 = 0.0;
    int limit = 0;
    for (const Query& query : queries) {
      const double reach = radius_[0] + std::sqrt(squared_distance(query.x, queries[0].x, Dim));
      reach2 = std::max(reach2, reach * reach);
      limit = std::max(limit, query.limit);
    }
    listed_.fill(tree_, [&](Node node, double& node2) {
      node2 = squared_distance_of_boxes(low, high, tree_.low(node.id), tree_.high(node.id), Dim);
      return node2 <= reach2 && !eligible_.skips(node.id, limit);
    });
  }

  double initial_bound2(const std::vector<Query>& queries, std::size_t i) const {
    double reach = infinity;
    for (std::size_t j = 0; j < i; ++j)
      reach = std::min(reach, radius_[j] + std::sqrt(squared_distance(queries[i].x, queries[j].x, Dim)));
    return reach * reach;
  }

  // Rounding can make the initial bound too small, so that fewer than k candidates are within it. Only then is the
  // search repeated.
  void search_listed_leaves(const Query& query, double bound2) {
    nearest_.start(bound2);
    for (std::size_t first = 0; first < listed_.size(); first += run_length) {
      if (listed_[first].distance2 > nearest_.bound().distance2) break;
      double distance2[run_length];
      box_distances(listed_.boxes(first), query.x, query.x, Dim, distance2);
      const std::size_t last = std::min(listed_.size(), first + run_length);
      for (std::size_t i = first; i < last; ++i)
        if (!out_of_reach(distance2[i - first], listed_[i].node) && !eligible_.skips(listed_[i].node.id, query.limit))
          scan(query, listed_[i].node);
    }
    if (bound2 < infinity && nearest_.size() < k_) search_from_root(query);
  }

  void write(const Query& query) {
    const int found = nearest_.finish();
    for (int i = 0; i < found; ++i) query.result[i] = nearest_[i].row;
    radius_.push_back(found == k_ ? std::sqrt(nearest_[k_ - 1].distance2) : infinity);
  }

  const KdTree& tree_;
  const Eligible& eligible_;
  const int k_;
  NearestBuffer nearest_;
  std::vector<double> radius_;  // distance of the k-th neighbour of the queries answered so far
  LeafList listed_;
};

}  // namespace neargp
