// A tree of boxes around points on a device. The points lie along a curve, so that those of a run are close in space. A
// leaf is a run of `leaf_size` points, and a node is a run of 32 nodes of the level below it: a child for each thread
// of a warp. Nodes are numbered from the leaves up. The last node is the root.
#pragma once

#include <cmath>

#include "base/types.h"
#include "conditional/gpu/rounded.h"
#include "conditional/gpu/team.h"

namespace neargp {

// Nodes first, ..., last - 1, whose children follow one another from first_below on.
struct TreeLevel {
  static constexpr int fan = 32;

  int first_below, first, last;

  NEARGP_HD int size() const { return last - first; }
  NEARGP_HD bool is_bottom() const { return first == 0; }
  NEARGP_HD TreeLevel above() const { return {first, last, last + (size() + fan - 1) / fan}; }

  // The children of a node above the leaves are first_child(), ..., last_child() - 1.
  NEARGP_HD int first_child(int node) const { return first_below + (node - first) * fan; }
  NEARGP_HD int last_child(int node) const {
    const int end = first_child(node) + fan;
    return end < first ? end : first;
  }
};

struct TreeShape {
  int leaves, nodes;

  NEARGP_HD int root() const { return nodes - 1; }
  NEARGP_HD TreeLevel bottom() const { return {0, 0, leaves}; }

  // Levels are found by arithmetic: an array of them in a kernel's parameters would be copied for each thread.
  NEARGP_HD TreeLevel level_of(int node) const {
    TreeLevel level = bottom();
    while (node >= level.last) level = level.above();
    return level;
  }
};

inline TreeShape tree_shape(Index points, int leaf_size) {
  TreeShape shape;
  shape.leaves = int((points + leaf_size - 1) / leaf_size);
  TreeLevel level = shape.bottom();
  while (level.size() > 1) level = level.above();
  shape.nodes = level.last;
  return shape;
}

// Points along the curve: coordinate c of point i is x[c * n + i]. Without `position` they are the points of the tree.
// Otherwise point s of the tree is position[s].
struct CurvePoints {
  const double* x;
  const int* position;
  Index n;     // points along the curve
  Index size;  // points of the tree
  int dim;

  NEARGP_HD Index at(Index s) const { return position ? position[s] : s; }
};

// The box of each node. An empty box reaches from infinity to minus infinity.
struct NodeBoxes {
  double* sides;
  Index nodes;
  int dim;

  NEARGP_HD double& low(int c, Index node) const { return sides[2 * c * nodes + node]; }
  NEARGP_HD double& high(int c, Index node) const { return sides[(2 * c + 1) * nodes + node]; }

  // The squared distance of a node's box from another box, as squared_distance_of_boxes() computes it
  // (geometry/kd_tree.h): never more than that of points inside. The other box reaches from low_of(c) to high_of(c).
  template <class LowOf, class HighOf>
  NEARGP_HD double distance2(Index node, const LowOf& low_of, const HighOf& high_of) const {
    double sum = 0.0;
    for (int c = 0; c < dim; ++c) {
      const double below = low(c, node) - high_of(c), above = low_of(c) - high(c, node);
      const double outside = below > above ? below : above;
      sum = rounded::square_added(sum, outside > 0.0 ? outside : 0.0);
    }
    return sum;
  }

  NEARGP_HD double distance2(Index node, const double* place) const {
    const auto at = [place](int c) { return place[c]; };
    return distance2(node, at, at);
  }
};

// The next tasks give each thread a node or leaf of its own. Their targets are runs of 32.
inline Index runs_of_nodes(const TreeLevel& level) { return (level.size() + TreeLevel::fan - 1) / TreeLevel::fan; }

template <class Team, class Body>
NEARGP_HD inline void for_nodes_of_run(const Team& team, Index run, const TreeLevel& level, const Body& body) {
  const int first = level.first + int(run) * TreeLevel::fan;
  const int last = first + TreeLevel::fan < level.last ? first + TreeLevel::fan : level.last;
  for (int node = first + team.rank(); node < last; node += team.size()) body(node);
}

struct BoundLeaves {
  CurvePoints points;
  NodeBoxes boxes;
  TreeLevel leaves;
  int leaf_size;

  NEARGP_HD int outputs() const { return 0; }

  NEARGP_HD void bound(int leaf) const {
    const Index first = Index(leaf) * leaf_size;
    const Index last = first + leaf_size < points.size ? first + leaf_size : points.size;
    for (int c = 0; c < points.dim; ++c) {
      double low = HUGE_VAL, high = -HUGE_VAL;
      for (Index s = first; s < last; ++s) {
        const double x = points.x[c * points.n + points.at(s)];
        low = x < low ? x : low;
        high = x > high ? x : high;
      }
      boxes.low(c, leaf) = low;
      boxes.high(c, leaf) = high;
    }
  }

  template <class Team>
  class Work {
   public:
    NEARGP_HD Work(const BoundLeaves& task, const Team& team, TeamArena&) : task_(task), team_(team) {}

    NEARGP_HD bool add(Index run, double weight, double*) {
      if (weight == 0.0) return true;
      for_nodes_of_run(team_, run, task_.leaves, [&](int leaf) { task_.bound(leaf); });
      return true;
    }

   private:
    const BoundLeaves& task_;
    const Team& team_;
  };
};

// The boxes of a level above the leaves, around those of the level below.
struct RaiseBoxes {
  NodeBoxes boxes;
  TreeLevel level;

  NEARGP_HD int outputs() const { return 0; }

  NEARGP_HD void bound(int node) const {
    for (int c = 0; c < boxes.dim; ++c) {
      double low = HUGE_VAL, high = -HUGE_VAL;
      for (int child = level.first_child(node); child < level.last_child(node); ++child) {
        low = boxes.low(c, child) < low ? boxes.low(c, child) : low;
        high = boxes.high(c, child) > high ? boxes.high(c, child) : high;
      }
      boxes.low(c, node) = low;
      boxes.high(c, node) = high;
    }
  }

  template <class Team>
  class Work {
   public:
    NEARGP_HD Work(const RaiseBoxes& task, const Team& team, TeamArena&) : task_(task), team_(team) {}

    NEARGP_HD bool add(Index run, double weight, double*) {
      if (weight == 0.0) return true;
      for_nodes_of_run(team_, run, task_.level, [&](int node) { task_.bound(node); });
      return true;
    }

   private:
    const RaiseBoxes& task_;
    const Team& team_;
  };
};

// Goes through a tree from its root, a node after the other. All threads of the team take part.
template <class Team>
class TreeWalk {
 public:
  NEARGP_HD TreeWalk(const TreeShape& shape, const Team& team, TeamArena& arena)
      : shape_(shape), team_(team), stack_(arena.take<int>(TreeLevel::fan * most_levels)) {}

  // Calls visit(leaf) for the leaves for which wanted(node) holds, as for all nodes above them, until it returns true.
  // Returns whether it did. Each thread asks for other nodes.
  template <class Wanted, class Visit>
  NEARGP_HD bool find(const Wanted& wanted, const Visit& visit) {
    if (!wanted(shape_.root())) return false;
    if (team_.rank() == 0) stack_[0] = shape_.root();
    int size = 1;
    team_.barrier();
    while (size > 0) {
      const int node = stack_[--size];
      team_.barrier();
      const TreeLevel level = shape_.level_of(node);
      if (level.is_bottom()) {
        if (visit(node)) return true;
      } else {
        size = push_children(level.first_child(node), level.last_child(node), size, wanted);
      }
    }
    return false;
  }

 private:
  static constexpr int most_levels = 7;  // 2^31 leaves

  // Returns the size of the stack with those that are wanted.
  template <class Wanted>
  NEARGP_HD int push_children(int first, int last, int size, const Wanted& wanted) {
    for (; first < last; first += team_.size()) {
      const int child = first + team_.rank();
      const bool is_wanted = child < last && wanted(child);
      int total;
      const int place = team_.place(is_wanted, total);
      if (is_wanted) stack_[size + place] = child;
      size += total;
    }
    team_.barrier();
    return size;
  }

  const TreeShape& shape_;
  const Team& team_;
  int* stack_;
};

}  // namespace neargp
