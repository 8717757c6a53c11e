// Nearest neighbours among earlier points in an order, by a tree of boxes, a query to a warp. In two and three
// dimensions few leaves are near enough to be looked at.
#pragma once

#include "base/types.h"
#include "conditional/gpu/box_tree.h"
#include "conditional/gpu/nearest_store.h"

namespace neargp {

// Arrays on the device. The points of the tree whose rank is `begin` or more are queries.
struct TeamEarlier {
  static constexpr int leaf_size = 32;
  // Leaves before and after a query's own that are looked at first. Their distances exclude most others.
  static constexpr int leaves_beside = 2;

  TreeShape shape;
  CurvePoints points;
  NodeBoxes boxes;
  const int* rank;  // along the curve, as is `row`
  const int* row;
  int begin, k;
  Index first_row;  // the answer for row r is row r - first_row of `index`
  int* index;       // rows of k numbers of rows, with -1 where there are fewer

  NEARGP_HD int outputs() const { return 0; }

  template <class Team>
  class Work {
   public:
    NEARGP_HD Work(const TeamEarlier& task, const Team& team, TeamArena& arena)
        : task_(task), team_(team), walk_(task.shape, team, arena), store_(task.k, arena),
          place_(arena.take<double>(task.points.dim)) {}

    NEARGP_HD bool add(Index target, double weight, double*) {
      const Index query = task_.points.at(target);
      if (weight == 0.0 || task_.rank[query] < task_.begin) return true;
      for (int c = team_.rank(); c < task_.points.dim; c += team_.size())
        place_[c] = task_.points.x[c * task_.points.n + query];
      team_.barrier();
      search(int(target / leaf_size), task_.rank[query]);
      store_.write(team_, task_.index + (task_.row[query] - task_.first_row) * task_.k);
      return true;
    }

   private:
    NEARGP_HD void search(int own_leaf, int limit) {
      const int leaves = task_.shape.leaves;
      const int first = own_leaf > leaves_beside ? own_leaf - leaves_beside : 0;
      const int last = own_leaf + leaves_beside < leaves ? own_leaf + leaves_beside : leaves - 1;
      store_.clear();
      for (int leaf = first; leaf <= last; ++leaf) offer(leaf, limit);
      store_.keep_nearest(team_);
      // The row of a point at exactly this distance may be smaller.
      const auto is_near = [&](int node) { return task_.boxes.distance2(node, place_) <= store_.bound(); };
      walk_.find(is_near, [&](int leaf) {
        if ((leaf < first || leaf > last) && is_near(leaf)) offer(leaf, limit);
        return false;
      });
      store_.keep_nearest(team_);
    }

    NEARGP_HD void offer(int leaf, int limit) {
      const CurvePoints& points = task_.points;
      for (int start = 0; start < leaf_size; start += team_.size()) {
        const Index s = Index(leaf) * leaf_size + start + team_.rank();
        const bool is_present = start + team_.rank() < leaf_size && s < points.size;
        const Index i = is_present ? points.at(s) : 0;
        double distance = 0.0;
        for (int c = 0; c < points.dim; ++c)
          distance = rounded::square_added(distance, points.x[c * points.n + i] - place_[c]);
        store_.offer(team_, is_present && task_.rank[i] < limit, distance, task_.row[i]);
      }
    }

    const TeamEarlier& task_;
    const Team& team_;
    TreeWalk<Team> walk_;
    NearestStore store_;
    double* place_;  // of the query
  };
};

}  // namespace neargp
