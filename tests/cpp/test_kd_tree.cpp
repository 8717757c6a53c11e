#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/error.h"
#include "geometry/kd_tree.h"
#include "geometry_fixtures.h"

using namespace neargp;
using namespace fixtures;

namespace {

// Visits the tree below `node`; checks that boxes are tight and nest, and collects nodes and leaves in order.
void check_node(const KdTree& tree, KdTree::Node node, Points points, std::vector<Index>& nodes,
                std::vector<Index>& leaves) {
  nodes.push_back(node.id);
  std::vector<double> low(points.dim, INFINITY), high(points.dim, -INFINITY);
  for (Index leaf = node.first_leaf; leaf < node.last_leaf; ++leaf)
    for (int s = 0; s < tree.leaf_count(leaf); ++s)
      for (int c = 0; c < points.dim; ++c) {
        low[c] = std::min(low[c], points[tree.leaf_rows(leaf)[s]][c]);
        high[c] = std::max(high[c], points[tree.leaf_rows(leaf)[s]][c]);
      }
  CHECK(std::equal(low.begin(), low.end(), tree.low(node.id)));
  CHECK(std::equal(high.begin(), high.end(), tree.high(node.id)));
  if (node.is_leaf()) return leaves.push_back(node.first_leaf);
  check_node(tree, node.left(), points, nodes, leaves);
  check_node(tree, node.right(), points, nodes, leaves);
}

void check_tree(const Cloud& cloud, int threads = 1) {
  const Points points = cloud.view();
  const KdTree tree(points, with_threads(threads));
  std::vector<Index> nodes, leaves;
  check_node(tree, tree.root(), points, nodes, leaves);
  CHECK(static_cast<Index>(leaves.size()) == tree.leaves());
  CHECK(static_cast<Index>(nodes.size()) == tree.nodes());
  for (std::size_t i = 0; i < nodes.size(); ++i) CHECK(nodes[i] == static_cast<Index>(i));

  std::vector<int> rows = tree.leaf_order();
  std::sort(rows.begin(), rows.end());
  for (std::size_t i = 0; i < rows.size(); ++i) REQUIRE(rows[i] == static_cast<int>(i));
}

}  // namespace

TEST_CASE("nodes are in preorder, boxes are tight, every row is in one leaf") {
  for (const int dim : {1, 2, 3, 7})
    for (const int n : {1, 15, 16, 17, 100, 1000}) check_tree(uniform_cloud(n, dim));
  check_tree(duplicated_cloud(500, 2, 3));
  check_tree(integer_lattice(20));
  check_tree(uniform_cloud(100000, 2), 4);
}

TEST_CASE("leaves hold the coordinates of their rows, ascending, padded with NaN") {
  const Cloud cloud = uniform_cloud(100, 3);
  const KdTree tree(cloud.view(), with_threads(1));
  for (Index leaf = 0; leaf < tree.leaves(); ++leaf) {
    const int count = tree.leaf_count(leaf);
    CHECK(std::is_sorted(tree.leaf_rows(leaf), tree.leaf_rows(leaf) + count));
    for (int s = 0; s < KdTree::leaf_size; ++s)
      for (int c = 0; c < 3; ++c) {
        const double x = tree.leaf_coords(leaf)[c * KdTree::leaf_size + s];
        CHECK_UNARY(s < count ? x == cloud.view()[tree.leaf_rows(leaf)[s]][c] : std::isnan(x));
      }
  }
}

TEST_CASE("distances of leaves and boxes") {
  const Cloud cloud = uniform_cloud(16, 5);
  const KdTree tree(cloud.view(), with_threads(1));
  const std::vector<double> x = {2.0, -1.0, 0.5, 0.5, 0.5};
  double actual[KdTree::leaf_size];
  leaf_distances(tree.leaf_coords(0), x.data(), 5, actual);
  double nearest = INFINITY;
  for (int s = 0; s < 16; ++s) {
    CHECK(actual[s] == distance2(cloud.view()[tree.leaf_rows(0)[s]], x.data(), 5));
    nearest = std::min(nearest, actual[s]);
  }
  CHECK(squared_distance_to_box(x.data(), tree.low(0), tree.high(0), 5) <= nearest);
  CHECK(squared_distance_to_box(cloud.view()[3], tree.low(0), tree.high(0), 5) == 0.0);
  CHECK(squared_distance_of_boxes(x.data(), x.data(), tree.low(0), tree.high(0), 5) ==
        squared_distance_to_box(x.data(), tree.low(0), tree.high(0), 5));
}

TEST_CASE("a tree of a subset holds that subset; an empty tree is a tree") {
  const Cloud cloud = uniform_cloud(50, 2);
  std::vector<int> order = KdTree(cloud.view(), {7, 3, 44}, with_threads(1)).leaf_order();
  CHECK(order == std::vector<int>{3, 7, 44});
  const KdTree none(Cloud{{}, 2}.view(), with_threads(1));
  CHECK(none.leaves() == 0);
  CHECK(none.nodes() == 0);
}

TEST_CASE("infinite coordinates are refused") {
  Cloud cloud = uniform_cloud(50, 2);
  cloud.coords[61] = INFINITY;
  CHECK_THROWS_WITH_AS(KdTree(cloud.view(), with_threads(1)), "Coordinate 2 of row 31 is not finite.", Error);
}
