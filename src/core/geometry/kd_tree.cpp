#include "geometry/kd_tree.h"

#include <limits>
#include <numeric>
#include <string>

#include "base/error.h"
#include "geometry/widest_coordinate.h"
#include "parallel/parallel_for.h"

namespace neargp {
namespace {

UnsetVector<int> all_rows(Index n) {
  if (n > std::numeric_limits<int>::max()) throw Error("There are more than 2^31 - 1 points.");
  UnsetVector<int> rows(n);
  std::iota(rows.begin(), rows.end(), 0);
  return rows;
}

// Nodes of this many leaves are finished by one thread.
constexpr Index subtree_leaves = 2048, subtree_leaves_along_list = 1024;

}  // namespace

KdTree::KdTree(Points points, const RunContext& context) : KdTree(points, all_rows(points.n), context) {}

KdTree::KdTree(Points points, const UnsetVector<int>& rows, const RunContext& context, Cuts cuts)
    : dim_(points.dim), n_(Index(rows.size())) {
  if (dim_ < 1) throw Error("Points need at least one coordinate.");
  UnsetVector<Entry> entries(rows.size());
  parallel_ranges(context, n_, light_range, [&](Index first, Index last, Index) {
    for (Index i = first; i < last; ++i) {
      check_finite(points, Index{rows[i]});
      entries[i] = {0.0, rows[i]};
    }
  });
  rows_.resize(leaves() * leaf_size);
  coords_.resize(leaves() * leaf_size * dim_);
  boxes_.resize(nodes() * 2 * dim_);
  if (n_ == 0) return;

  const Index most_leaves = cuts == Cuts::medians ? subtree_leaves : subtree_leaves_along_list;
  std::vector<Node> level = {root()}, subtrees, upper;
  while (!level.empty()) {
    std::vector<Node> large;
    for (const Node& node : level) (node.last_leaf - node.first_leaf > most_leaves ? large : subtrees).push_back(node);
    if (cuts == Cuts::medians)
      parallel_for(context, Index(large.size()), [&](Index i) { split(points, entries, large[i]); });
    level.clear();
    for (const Node& node : large) {
      level.push_back(node.left());
      level.push_back(node.right());
    }
    upper.insert(upper.end(), large.begin(), large.end());
  }
  parallel_for(context, Index(subtrees.size()), [&](Index i) { build_subtree(points, entries, subtrees[i]); });
  for (auto node = upper.rbegin(); node != upper.rend(); ++node) join_boxes(*node);
}

// Ties go by row, so that the leaf order is the same with every standard library.
void KdTree::split(Points points, UnsetVector<Entry>& entries, Node node) const {
  Entry* first = entries.data() + node.first_leaf * leaf_size;
  Entry* last = entries.data() + std::min(n_, node.last_leaf * leaf_size);
  Entry* middle = entries.data() + node.middle() * leaf_size;
  // A stride through large nodes is enough: it only steers the shape of the tree.
  const Index count = last - first;
  const int c =
      widest_coordinate(points, count, std::max<Index>(1, count / 128), [&](Index i) { return first[i].row; });
  for (Entry* entry = first; entry != last; ++entry) entry->key = points[entry->row][c];
  std::nth_element(first, middle, last,
                   [](const Entry& a, const Entry& b) { return a.key < b.key || (a.key == b.key && a.row < b.row); });
}

void KdTree::build_subtree(Points points, UnsetVector<Entry>& entries, Node node) {
  if (node.is_leaf()) return fill_leaf(points, entries, node);
  split(points, entries, node);
  build_subtree(points, entries, node.left());
  build_subtree(points, entries, node.right());
  join_boxes(node);
}

void KdTree::fill_leaf(Points points, UnsetVector<Entry>& entries, Node node) {
  Entry* first = entries.data() + node.first_leaf * leaf_size;
  const int count = leaf_count(node.first_leaf);
  std::sort(first, first + count, [](const Entry& a, const Entry& b) { return a.row < b.row; });
  double* coords = coords_.data() + node.first_leaf * leaf_size * dim_;
  double* low = boxes_.data() + node.id * 2 * dim_;
  double* high = low + dim_;
  std::copy_n(points[first->row], dim_, low);
  std::copy_n(points[first->row], dim_, high);
  for (int s = 0; s < count; ++s) {
    const double* x = points[first[s].row];
    rows_[node.first_leaf * leaf_size + s] = first[s].row;
    for (int c = 0; c < dim_; ++c) {
      coords[c * leaf_size + s] = x[c];
      low[c] = std::min(low[c], x[c]);
      high[c] = std::max(high[c], x[c]);
    }
  }
  std::fill(rows_.begin() + node.first_leaf * leaf_size + count, rows_.begin() + (node.first_leaf + 1) * leaf_size, -1);
  for (int s = count; s < leaf_size; ++s)
    for (int c = 0; c < dim_; ++c) coords[c * leaf_size + s] = std::numeric_limits<double>::quiet_NaN();
}

void KdTree::join_boxes(Node node) {
  const Index left = node.left().id, right = node.right().id;
  double* low_joined = boxes_.data() + node.id * 2 * dim_;
  double* high_joined = low_joined + dim_;
  for (int c = 0; c < dim_; ++c) {
    low_joined[c] = std::min(low(left)[c], low(right)[c]);
    high_joined[c] = std::max(high(left)[c], high(right)[c]);
  }
}

}  // namespace neargp
