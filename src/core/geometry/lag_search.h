#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "geometry/block_search.h"
#include "geometry/kd_tree.h"
#include "geometry/lag_order.h"
#include "geometry/leaf_list.h"

namespace neargp {

// The key is minus the correlation, or the squared distance in units of the points if the correlation is negligible.
// Equal keys are ordered by the smaller row.
struct LagCandidate {
  double key;
  int row, slot;  // in the points, and in the leaves of the tree

  bool operator<(const LagCandidate& other) const { return key < other.key || (key == other.key && row < other.row); }
};

struct Lags {
  double space2, time2;
  double distance2() const { return space2 + time2; }
};

// Upper bounds of the lags of a query's neighbours, if the key of its k-th neighbour is at most `key`.
class LagReach {
 public:
  explicit LagReach(const LagOrder& order) : order_(order) {}

  // Correlations are rounded, and therefore fall with the lags only up to rounding. The slack is far larger.
  void set(double key) {
    key_ = key;
    least_ = key < 0.0 ? -key * (1.0 - 1e-9) : 0.0;
    space2_ = order_.largest_space2(least_);
    time2_ = order_.largest_time2(least_);
  }

  bool may_hold(Lags lags) const {
    if (lags.space2 > space2_ || lags.time2 > time2_) return false;
    const double most = order_.upper_bound(lags.space2, lags.time2);
    return most >= least_ && (key_ < 0.0 || most >= LagOrder::negligible || lags.distance2() <= key_);
  }

  double space2() const { return space2_; }
  double time2() const { return time2_; }

 private:
  const LagOrder& order_;
  double key_ = 0.0, least_ = 0.0;
  double space2_ = 0.0, time2_ = 0.0;  // the largest lags
};

// The search of BlockSearch for the rows of the largest correlation. The neighbours of a query that was answered are
// eligible for the queries after it. The largest key of a later query with these rows is an upper bound for the key of
// its own k-th neighbour.
template <class Eligible>
class LagSearch {
 public:
  LagSearch(const KdTree& tree, const Eligible& eligible, int k, const LagOrder& order)
      : tree_(tree), eligible_(eligible), order_(order), reach_(order), k_(k), space_(tree.dim() - 1) {}

  void run(const std::vector<Query>& queries, const double* low, const double* high) {
    answers_.clear();
    start(none);
    descend(queries[0], tree_.root());
    write(queries[0]);
    if (queries.size() == 1) return;
    list_leaves(queries, low, high);
    for (std::size_t i = 1; i < queries.size(); ++i) {
      start(bound_of(queries, i));
      search_listed_leaves(queries[i]);
      write(queries[i]);
    }
  }

 private:
  using Node = KdTree::Node;

  static constexpr double none = std::numeric_limits<double>::infinity();

  Lags lags_of_boxes(const double* low_a, const double* high_a, const double* low_b, const double* high_b) const {
    return {squared_distance_of_boxes(low_a, high_a, low_b, high_b, space_),
            squared_distance_of_boxes(low_a + space_, high_a + space_, low_b + space_, high_b + space_, 1)};
  }

  Lags lags_to(const double* x, Node node) const {
    return lags_of_boxes(x, x, tree_.low(node.id), tree_.high(node.id));
  }

  // Begins a query with an upper bound for the key of its k-th neighbour.
  void start(double key) {
    bound_ = {key, std::numeric_limits<int>::max(), 0};
    reach_.set(key);
    found_.clear();
  }

  // No point within the largest lags is farther than their sum.
  void search_listed_leaves(const Query& query) {
    constexpr std::size_t size = KdTree::leaf_size;
    double space2[size], time2[size];
    for (std::size_t first = 0; first < near_.size(); first += size) {
      if (near_[first].distance2 > reach_.space2() + reach_.time2()) return;
      const double* boxes = near_.boxes(first);
      box_distances(boxes, query.x, query.x, space_, space2);
      box_distances(boxes + 2 * space_ * size, query.x + space_, query.x + space_, 1, time2);
      const std::size_t count = std::min(size, near_.size() - first);
      for (std::size_t i = 0; i < count; ++i) {
        const Node& leaf = near_[first + i].node;
        if (reach_.may_hold({space2[i], time2[i]}) && !eligible_.skips(leaf.id, query.limit)) scan(query, leaf);
      }
    }
  }

  void descend(const Query& query, Node node) {
    if (eligible_.skips(node.id, query.limit) || !reach_.may_hold(lags_to(query.x, node))) return;
    if (node.is_leaf()) return scan(query, node);
    const Node left = node.left(), right = node.right();
    const bool left_first = lags_to(query.x, left).distance2() <= lags_to(query.x, right).distance2();
    descend(query, left_first ? left : right);
    descend(query, left_first ? right : left);
  }

  void scan(const Query& query, Node leaf) {
    constexpr int size = KdTree::leaf_size;
    double space2[size], time2[size], keys[size];
    int slots[size];
    const double* coords = tree_.leaf_coords(leaf.first_leaf);
    leaf_distances(coords, query.x, space_, space2);
    leaf_distances(coords + space_ * size, query.x + space_, 1, time2);
    const int first_slot = int(leaf.first_leaf) * size;
    int count = 0;
    for (int s = 0; s < size; ++s) {
      slots[count] = s;
      count += int(space2[s] <= reach_.space2()) & int(time2[s] <= reach_.time2()) &
               int(eligible_.accepts(first_slot + s, query.limit));
    }
    int kept = 0;
    for (int i = 0; i < count; ++i) {
      const Lags lags = {space2[slots[i]], time2[slots[i]]};
      if (!reach_.may_hold(lags)) continue;
      space2[kept] = lags.space2;
      time2[kept] = lags.time2;
      slots[kept++] = first_slot + slots[i];
    }
    find_keys(space2, time2, kept, keys);
    for (int i = 0; i < kept; ++i) offer({keys[i], tree_.leaf_rows(0)[slots[i]], slots[i]});
  }

  void find_keys(const double* space2, const double* time2, int count, double* keys) const {
    order_.evaluate(space2, time2, count, keys);
    for (int i = 0; i < count; ++i) keys[i] = keys[i] < LagOrder::negligible ? space2[i] + time2[i] : -keys[i];
  }

  void offer(const LagCandidate& candidate) {
    if (bound_ < candidate) return;
    found_.push_back(candidate);
    if (int(found_.size()) < 2 * k_ + 16) return;
    std::nth_element(found_.begin(), found_.begin() + (k_ - 1), found_.end());
    found_.resize(k_);
    bound_ = found_.back();
    reach_.set(bound_.key);
  }

  void write(const Query& query) {
    std::sort(found_.begin(), found_.end());
    if (int(found_.size()) > k_) found_.resize(k_);
    for (std::size_t i = 0; i < found_.size(); ++i) query.result[i] = found_[i].row;
    answers_.push_back(found_);
  }

  // The largest key of query i with the neighbours of the nearest query p that was answered. If query i is one of them,
  // p replaces it.
  double bound_of(const std::vector<Query>& queries, std::size_t i) {
    std::size_t nearest = 0;
    double nearest2 = none;
    for (std::size_t j = 0; j < i; ++j) {
      const double distance2 = squared_distance(queries[i].x, queries[j].x, space_ + 1);
      if (int(answers_[j].size()) < k_ || !(distance2 < nearest2)) continue;
      nearest = j;
      nearest2 = distance2;
    }
    if (nearest2 == none) return none;
    prepare_lags();
    for (int j = 0; j < k_; ++j) {
      const LagCandidate& neighbor = answers_[nearest][j];
      copy_point(neighbor.slot);
      const double* x = eligible_.is_self(neighbor.row, queries[i].limit) ? queries[nearest].x : point_.data();
      set_lags(j, {squared_distance(x, queries[i].x, space_), squared_distance(x + space_, queries[i].x + space_, 1)});
    }
    return largest_key(k_);
  }

  // The same for all queries of a block, from the neighbours of the first query and, as the last point, that query.
  double bound_of_block(const double* first, const double* low, const double* high) {
    if (int(answers_[0].size()) < k_) return none;
    prepare_lags();
    for (int j = 0; j <= k_; ++j) {
      if (j < k_) copy_point(answers_[0][j].slot);
      const double* x = j < k_ ? point_.data() : first;
      set_lags(j, {farthest_squared_distance(x, low, high, space_),
                   farthest_squared_distance(x + space_, low + space_, high + space_, 1)});
    }
    return largest_key(k_ + 1);
  }

  void prepare_lags() {
    space2_.resize(k_ + 1);
    time2_.resize(k_ + 1);
    keys_.resize(k_ + 1);
    point_.resize(space_ + 1);
  }

  void set_lags(int j, Lags lags) {
    space2_[j] = lags.space2;
    time2_[j] = lags.time2;
  }

  // Returns a little more than the largest key, since the same correlation may be rounded in two ways.
  double largest_key(int count) {
    find_keys(space2_.data(), time2_.data(), count, keys_.data());
    const double largest = *std::max_element(keys_.begin(), keys_.begin() + count);
    return largest + 1e-9 * std::abs(largest);
  }

  void copy_point(int slot) {
    const double* leaf = tree_.leaf_coords(slot / KdTree::leaf_size) + slot % KdTree::leaf_size;
    for (int c = 0; c <= space_; ++c) point_[c] = leaf[c * KdTree::leaf_size];
  }

  // Lists all leaves that can contain a neighbour of a query of the block, nearest first.
  void list_leaves(const std::vector<Query>& queries, const double* low, const double* high) {
    int limit = 0;
    for (const Query& query : queries) limit = std::max(limit, query.limit);
    start(bound_of_block(queries[0].x, low, high));
    near_.fill(tree_, [&](Node node, double& distance2) {
      const Lags lags = lags_of_boxes(low, high, tree_.low(node.id), tree_.high(node.id));
      distance2 = lags.distance2();
      return !eligible_.skips(node.id, limit) && reach_.may_hold(lags);
    });
  }

  const KdTree& tree_;
  const Eligible& eligible_;
  const LagOrder& order_;
  LagReach reach_;
  const int k_, space_;
  LagCandidate bound_ = {};  // nothing behind it can be among the neighbours
  std::vector<LagCandidate> found_;
  std::vector<std::vector<LagCandidate>> answers_;  // of the queries of the block so far
  std::vector<double> space2_, time2_, keys_, point_;
  LeafList near_;
};

}  // namespace neargp
