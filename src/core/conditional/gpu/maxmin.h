// Farthest-point sampling on a device, many rows in a round, as in geometry/maxmin_phase.h: the champion of a leaf is
// chosen if no leaf with a better champion q has its box nearer than d(q). The proof there needs no more of the cells
// than their boxes. The cells are the leaves of a tree here, and a round takes all distances at once, without phases.
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

// Chooses the champions that nothing prevents. Reads champions, and writes only what TeamLower reads.
struct TeamChoose {
  MaxminTree tree;

  NEARGP_HD int outputs() const { return 0; }

  template <class Team>
  class Work {
   public:
    NEARGP_HD Work(const TeamChoose& task, const Team& team, TeamArena& arena)
        : tree_(task.tree), team_(team), walk_(task.tree.shape, team, arena),
          place_(arena.take<double>(2 * task.tree.points.dim)) {}

    NEARGP_HD bool add(Index target, double weight, double*) {
      if (weight == 0.0) return true;
      const int leaf = int(target);
      mark(leaf, tree_.champion2[leaf] > 0.0 && is_next(leaf));
      return true;
    }

   private:
    NEARGP_HD bool is_next(int leaf) {
      const CurvePoints& points = tree_.points;
      const Index champion = tree_.champion[leaf];
      for (int s = team_.rank(); s < 2 * points.dim; s += team_.size())
        place_[s] = points.x[s / 2 * points.n + champion];
      team_.barrier();
      const double distance2 = tree_.champion2[leaf];
      const int row = tree_.champion_row[leaf], blocker = tree_.blocker[leaf];
      const auto prevents = [&](int node) {
        return MaxminTree::is_better(tree_.champion2[node], tree_.champion_row[node], distance2, row) &&
               tree_.boxes.distance2(node, place_) < tree_.champion2[node];
      };
      if (blocker >= 0 && prevents(blocker)) return false;  // as in most rounds
      const bool is_prevented = walk_.find(prevents, [&](int other) {
        if (team_.rank() == 0) tree_.blocker[leaf] = other;
        return true;
      });
      return !is_prevented;
    }

    NEARGP_HD void mark(int leaf, bool wins) {
      for (int c = team_.rank(); c < tree_.points.dim; c += team_.size()) {
        tree_.chosen.low(c, leaf) = wins ? place_[2 * c] : HUGE_VAL;
        tree_.chosen.high(c, leaf) = wins ? place_[2 * c] : -HUGE_VAL;
      }
      if (wins && team_.rank() == 0) tree_.distance2[tree_.champion[leaf]] = -tree_.champion2[leaf];
    }

    const MaxminTree& tree_;
    const Team& team_;
    TreeWalk<Team> walk_;
    double* place_;  // of the champion, as a box
  };
};

// Takes the choices of a round over into the distances and champions of leaves.
struct TeamLower {
  MaxminTree tree;

  NEARGP_HD int outputs() const { return 0; }

  template <class Team>
  class Work {
   public:
    NEARGP_HD Work(const TeamLower& task, const Team& team, TeamArena& arena)
        : tree_(task.tree), team_(team), walk_(task.tree.shape, team, arena),
          box_(arena.take<double>(2 * task.tree.points.dim)) {}

    NEARGP_HD bool add(Index target, double weight, double*) {
      if (weight == 0.0) return true;
      const int leaf = int(target);
      const double distance2 = tree_.champion2[leaf];
      if (!(distance2 > 0.0)) return true;
      for (int s = team_.rank(); s < 2 * tree_.points.dim; s += team_.size())
        box_[s] = s % 2 == 0 ? tree_.boxes.low(s / 2, leaf) : tree_.boxes.high(s / 2, leaf);
      team_.barrier();
      bool reached = false;
      walk_.find([&](int node) { return tree_.chosen.distance2(node, box_) < distance2; },
                 [&](int other) {
                   lower(leaf, other);
                   reached = true;
                   return false;
                 });
      team_.barrier();
      if (reached && team_.rank() == 0) tree_.crown(leaf);
      return true;
    }

   private:
    // The distance of a chosen row, which is negative, stays.
    NEARGP_HD void lower(int leaf, int other) {
      const CurvePoints& points = tree_.points;
      for (Index i = tree_.first_point(leaf) + team_.rank(); i < tree_.last_point(leaf); i += team_.size()) {
        double sum = 0.0;
        for (int c = 0; c < points.dim; ++c)
          sum = rounded::square_added(sum, points.x[c * points.n + i] - tree_.chosen.low(c, other));
        if (sum < tree_.distance2[i]) tree_.distance2[i] = sum;
      }
    }

    const MaxminTree& tree_;
    const Team& team_;
    TreeWalk<Team> walk_;
    double* box_;  // of the leaf
  };
};

}  // namespace neargp
