// Nearest neighbours by comparing all pairs of points, a few queries to a team. In many dimensions, where trees fail, a
// GPU is faster at this than a tree.
//
// Each thread takes every team-size-th reference point. The search is exact, with ties broken by label, in the same
// arithmetic as the tree's (geometry/points.h).
#pragma once

#include "base/types.h"
#include "conditional/gpu/nearest_store.h"
#include "conditional/gpu/rounded.h"
#include "conditional/gpu/team.h"

namespace neargp {

class TeamNearest {
 public:
  // Queries that a team answers together: one load of a reference point serves all of them.
  static constexpr int group = 4;

  // Arrays on the device. Coordinate d of reference point j is at reference[d * n + j]; the queries are row-major;
  // label, limit and excluded are those of a NeighborRequest. Fills rows of k labels, with -1 where there are fewer.
  const double* reference;
  const double* queries;
  const int* label;
  const int* limit;
  const int* excluded;
  int* index;
  Index n, count;
  int dim, k;

  NEARGP_HD int outputs() const { return 0; }

  // The targets of run_targets() are groups of queries.
  template <class Team>
  class Work {
   public:
    NEARGP_HD Work(const TeamNearest& task, const Team& team, TeamArena& arena)
        : task_(task), team_(team), point_(arena.take<double>(group * task.dim)) {
      for (NearestStore& store : store_) store = NearestStore(task.k, arena);
    }

    NEARGP_HD bool add(Index number, double weight, double*) {
      const Index first = number * group;
      Index last = 0;
      for (int q = 0; q < group; ++q) {
        const bool present = first + q < task_.count;
        limit_[q] = !present ? 0 : task_.limit ? task_.limit[first + q] : task_.n;
        excluded_[q] = present && task_.excluded ? task_.excluded[first + q] : -1;
        store_[q].clear();
        last = limit_[q] > last ? limit_[q] : last;
        for (int d = team_.rank(); d < task_.dim; d += team_.size())
          point_[q * task_.dim + d] = present ? task_.queries[(first + q) * task_.dim + d] : 0.0;
      }
      team_.barrier();
      for (Index start = 0; start < last; start += team_.size()) offer(start + team_.rank(), last);
      for (int q = 0; q < group; ++q) {
        store_[q].keep_nearest(team_);
        if (weight > 0.0 && first + q < task_.count) store_[q].write(team_, task_.index + (first + q) * task_.k);
      }
      return true;
    }

   private:
    NEARGP_HD void offer(Index j, Index last) {
      double distance[group] = {};
      int label = -1;
      if (j < last) {
        label = task_.label ? task_.label[j] : int(j);
        for (int d = 0; d < task_.dim; ++d) {
          const double x = task_.reference[d * task_.n + j];
          for (int q = 0; q < group; ++q)
            distance[q] = rounded::square_added(distance[q], x - point_[q * task_.dim + d]);
        }
      }
      for (int q = 0; q < group; ++q)
        store_[q].offer(team_, j < limit_[q] && label != excluded_[q], distance[q], label);
    }

    const TeamNearest& task_;
    const Team& team_;
    double* point_;
    NearestStore store_[group];
    Index limit_[group];
    int excluded_[group];
  };
};

}  // namespace neargp
