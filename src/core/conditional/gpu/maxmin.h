// Farthest-point sampling on a device, many rows in a round, as in geometry/maxmin_phase.h. The champion of a leaf is
// chosen if the box of every leaf with a better champion q is at least d(q) away. The proof there needs no more of the
// cells than their boxes. The cells are the leaves of a tree here, and a round takes all distances at once, without
// phases.
#pragma once

#include "conditional/gpu/box_tree.h"

namespace neargp {

// Arrays on the device, which the tasks below share.
struct MaxminTree {
  static constexpr int leaf_size = 8;

  TreeShape shape;
  CurvePoints points;
  NodeBoxes boxes;
  NodeBoxes chosen;   // boxes around the rows that the last round chose
  const int* row;     // of each point
  double* distance2;  // of each point to the chosen rows; of a chosen row, minus what it was when it was chosen
  // The best point below each node: the largest distance, then the smallest row.
  double* champion2;
  int* champion_row;
  int* champion;  // of each leaf: the point
  int* blocker;   // of each leaf: the leaf that prevented the choice of its champion last, or -1

  NEARGP_HD Index first_point(int leaf) const { return Index(leaf) * leaf_size; }
  NEARGP_HD Index last_point(int leaf) const {
    return first_point(leaf) + leaf_size < points.size ? first_point(leaf) + leaf_size : points.size;
  }

  NEARGP_HD static bool is_better(double distance2, int row, double than_distance2, int than_row) {
    return distance2 > than_distance2 || (distance2 == than_distance2 && row < than_row);
  }

  // Finds the champion of a leaf.
  NEARGP_HD void crown(int leaf) const {
    Index best = first_point(leaf);
    for (Index i = best + 1; i < last_point(leaf); ++i)
      if (is_better(distance2[i], row[i], distance2[best], row[best])) best = i;
    champion[leaf] = int(best);
    champion2[leaf] = distance2[best];
    champion_row[leaf] = row[best];
  }

  // Finds the champion of a node above the leaves.
  NEARGP_HD void raise(int node, const TreeLevel& level) const {
    int best = level.first_child(node);
    for (int child = best + 1; child < level.last_child(node); ++child)
      if (is_better(champion2[child], champion_row[child], champion2[best], champion_row[best])) best = child;
    champion2[node] = champion2[best];
    champion_row[node] = champion_row[best];
  }
};

// The champions of one level, each by one thread.
struct RaiseChampions {
  MaxminTree tree;
  TreeLevel level;

  NEARGP_HD int outputs() const { return 0; }

  template <class Team>
  class Work {
   public:
    NEARGP_HD Work(const RaiseChampions& task, const Team& team, TeamArena&) : task_(task), team_(team) {}

    NEARGP_HD bool add(Index run, double weight, double*) {
      if (weight == 0.0) return true;
      for_nodes_of_run(team_, run, task_.level, [&](int node) {
        if (task_.level.is_bottom())
          task_.tree.crown(node);
        else
          task_.tree.raise(node, task_.level);
      });
      return true;
    }

   private:
    const RaiseChampions& task_;
    const Team& team_;
  };
};

// Chooses the champions that nothing prevents. Reads champions, and writes only what TeamLower reads. A target is a run
// of leaves. Most are prevented by the leaf that prevented them before: this each thread finds for a leaf of its own.
// The team then looks for others, a leaf after the other.
struct TeamChoose {
  MaxminTree tree;

  NEARGP_HD int outputs() const { return 0; }

  template <class Team>
  class Work {
   public:
    NEARGP_HD Work(const TeamChoose& task, const Team& team, TeamArena& arena)
        : tree_(task.tree), team_(team), walk_(task.tree.shape, team, arena), open_(arena.take<int>(TreeLevel::fan)),
          place_(arena.take<double>(task.tree.points.dim)) {}

    NEARGP_HD bool add(Index run, double weight, double*) {
      if (weight == 0.0) return true;
      const int open = list_open(int(run) * TreeLevel::fan);
      for (int i = 0; i < open; ++i) {
        const int leaf = open_[i];
        for (int c = team_.rank(); c < tree_.points.dim; c += team_.size())
          place_[c] = tree_.points.x[c * tree_.points.n + tree_.champion[leaf]];
        team_.barrier();
        if (!is_prevented(leaf)) choose(leaf);
        team_.barrier();
      }
      return true;
    }

   private:
    NEARGP_HD bool is_better(int node, int leaf) const {
      return MaxminTree::is_better(tree_.champion2[node], tree_.champion_row[node], tree_.champion2[leaf],
                                   tree_.champion_row[leaf]);
    }

    // Lists the leaves of a run that have rows left, and whose champion the last blocker does not prevent.
    NEARGP_HD int list_open(int first) {
      int open = 0;
      for (int start = 0; start < TreeLevel::fan; start += team_.size()) {
        const int leaf = first + start + team_.rank();
        const bool is_leaf = start + team_.rank() < TreeLevel::fan && leaf < tree_.shape.leaves;
        if (is_leaf) choose_none(leaf);
        const bool is_open = is_leaf && tree_.champion2[leaf] > 0.0 && !is_still_prevented(leaf);
        int total;
        const int place = team_.place(is_open, total);
        if (is_open) open_[open + place] = leaf;
        open += total;
      }
      team_.barrier();
      return open;
    }

    NEARGP_HD bool is_still_prevented(int leaf) const {
      const int blocker = tree_.blocker[leaf];
      if (blocker < 0 || !is_better(blocker, leaf)) return false;
      const Index champion = tree_.champion[leaf];
      const auto at = [&](int c) { return tree_.points.x[c * tree_.points.n + champion]; };
      return tree_.boxes.distance2(blocker, at, at) < tree_.champion2[blocker];
    }

    NEARGP_HD bool is_prevented(int leaf) {
      const auto prevents = [&](int node) {
        return is_better(node, leaf) && tree_.boxes.distance2(node, place_) < tree_.champion2[node];
      };
      return walk_.find(prevents, [&](int other) {
        if (team_.rank() == 0) tree_.blocker[leaf] = other;
        return true;
      });
    }

    NEARGP_HD void choose_none(int leaf) const {
      for (int c = 0; c < tree_.points.dim; ++c) {
        tree_.chosen.low(c, leaf) = HUGE_VAL;
        tree_.chosen.high(c, leaf) = -HUGE_VAL;
      }
    }

    NEARGP_HD void choose(int leaf) const {
      for (int c = team_.rank(); c < tree_.points.dim; c += team_.size())
        tree_.chosen.low(c, leaf) = tree_.chosen.high(c, leaf) = place_[c];
      if (team_.rank() == 0) tree_.distance2[tree_.champion[leaf]] = -tree_.champion2[leaf];
    }

    const MaxminTree& tree_;
    const Team& team_;
    TreeWalk<Team> walk_;
    int* open_;
    double* place_;  // of a champion
  };
};

// Takes the choices of a round over into the distances and champions of leaves. A target is the run of leaves below a
// node. The team finds the choices in reach of the node, and each thread takes them over into a leaf of its own.
struct TeamLower {
  MaxminTree tree;

  NEARGP_HD int outputs() const { return 0; }

  template <class Team>
  class Work {
   public:
    NEARGP_HD Work(const TeamLower& task, const Team& team, TeamArena& arena)
        : tree_(task.tree), team_(team), walk_(task.tree.shape, team, arena) {}

    NEARGP_HD bool add(Index run, double weight, double*) {
      if (weight == 0.0) return true;
      const int node = tree_.shape.nodes == 1 ? 0 : tree_.shape.leaves + int(run);
      const double distance2 = tree_.champion2[node];
      if (!(distance2 > 0.0)) return true;
      bool is_reached = false;
      walk_.find([&](int other) { return distance2_to_choices(other, node) < distance2; },
                 [&](int other) {
                   for_leaves(run, [&](int leaf) {
                     if (distance2_to_choices(other, leaf) < tree_.champion2[leaf]) lower(leaf, other);
                   });
                   is_reached = true;
                   return false;
                 });
      if (is_reached) for_leaves(run, [&](int leaf) { tree_.crown(leaf); });
      return true;
    }

   private:
    template <class Body>
    NEARGP_HD void for_leaves(Index run, const Body& body) const {
      for_nodes_of_run(team_, run, tree_.shape.bottom(), body);
    }

    // The distance of the choices below one node from the box of another.
    NEARGP_HD double distance2_to_choices(int other, int node) const {
      return tree_.chosen.distance2(
          other, [&](int c) { return tree_.boxes.low(c, node); }, [&](int c) { return tree_.boxes.high(c, node); });
    }

    // The distance of a chosen row, which is negative, stays.
    NEARGP_HD void lower(int leaf, int other) const {
      const CurvePoints& points = tree_.points;
      for (Index i = tree_.first_point(leaf); i < tree_.last_point(leaf); ++i) {
        double sum = 0.0;
        for (int c = 0; c < points.dim; ++c)
          sum = rounded::square_added(sum, points.x[c * points.n + i] - tree_.chosen.low(c, other));
        if (sum < tree_.distance2[i]) tree_.distance2[i] = sum;
      }
    }

    const MaxminTree& tree_;
    const Team& team_;
    TreeWalk<Team> walk_;
  };
};

}  // namespace neargp
