// Nearest neighbours by comparing all pairs of points, a few queries to a team. In many dimensions, where trees fail, a
// GPU is faster at this than a tree.
//
// Each thread takes every team-size-th reference point. Candidates nearer than the k-th nearest so far are appended to
// a query's store. When it is full, the team sorts it and keeps k. The search is exact, with ties broken by label, in
// the same arithmetic as the tree's (geometry/points.h).
#pragma once

#include <climits>
#include <cmath>

#include "base/types.h"
#include "conditional/gpu/sort.h"
#include "conditional/gpu/team.h"
#include "simd/simd.h"

namespace neargp {

namespace rounded {

// Rounds each operation on its own, which CUDA's compiler would otherwise join.
NEARGP_HD inline double square_added(double sum, double x) {
#ifdef __CUDA_ARCH__
  return __dadd_rn(sum, __dmul_rn(x, x));
#else
  return sum + x * x;
#endif
}

}  // namespace rounded

class TeamNearest {
 public:
  // Queries that a team answers together: one load of a reference point serves all of them.
  static constexpr int group = 4;

  static NEARGP_HD int store_size(int k) {
    int size = 64;
    while (size < 2 * k || size < k + 64) size *= 2;
    return size;
  }

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
        : task_(task), team_(team), capacity_(store_size(task.k)), point_(arena.take<double>(group * task.dim)),
          distance_(arena.take<double>(group * capacity_)), label_(arena.take<int>(group * capacity_)) {}

    NEARGP_HD bool add(Index number, double weight, double*) {
      const Index first = number * group;
      Index last = 0;
      for (int q = 0; q < group; ++q) {
        const bool present = first + q < task_.count;
        limit_[q] = !present ? 0 : task_.limit ? task_.limit[first + q] : task_.n;
        excluded_[q] = present && task_.excluded ? task_.excluded[first + q] : -1;
        size_[q] = 0;
        bound_[q] = HUGE_VAL;
        bound_label_[q] = INT_MAX;
        last = limit_[q] > last ? limit_[q] : last;
        for (int d = team_.rank(); d < task_.dim; d += team_.size())
          point_[q * task_.dim + d] = present ? task_.queries[(first + q) * task_.dim + d] : 0.0;
      }
      team_.barrier();
      for (Index start = 0; start < last; start += team_.size()) offer(start + team_.rank(), last);
      for (int q = 0; q < group; ++q) finish(q, first + q, weight > 0.0);
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
      for (int q = 0; q < group; ++q) {
        const bool wanted =
            j < limit_[q] && label != excluded_[q] && is_nearer(distance[q], label, bound_[q], bound_label_[q]);
        append(q, wanted, distance[q], label);
      }
    }

    NEARGP_HD void append(int q, bool wanted, double distance, int label) {
      int total;
      const int place = team_.place(wanted, total);
      if (total == 0) return;
      for (int stored = 0; stored < total;) {  // at once, but for teams of more threads than a store has room for
        if (size_[q] + total - stored > capacity_) keep_nearest(q);
        const int part = smaller(total - stored, capacity_ - size_[q]);
        if (wanted && place >= stored && place < stored + part) {
          distance_[q * capacity_ + size_[q] + place - stored] = distance;
          label_[q * capacity_ + size_[q] + place - stored] = label;
        }
        size_[q] += part;
        stored += part;
      }
    }

    // Sorts the store and cuts it to k, whose last is the new bound.
    NEARGP_HD void keep_nearest(int q) {
      double* distance = distance_ + q * capacity_;
      int* label = label_ + q * capacity_;
      for (int e = size_[q] + team_.rank(); e < capacity_; e += team_.size()) {
        distance[e] = HUGE_VAL;
        label[e] = INT_MAX;
      }
      team_.barrier();
      team_sort(team_, capacity_, distance, label);
      if (size_[q] < task_.k) return;
      size_[q] = task_.k;
      bound_[q] = distance[task_.k - 1];
      bound_label_[q] = label[task_.k - 1];
      team_.barrier();
    }

    NEARGP_HD void finish(int q, Index query, bool write) {
      keep_nearest(q);
      if (write && query < task_.count)
        for (int e = team_.rank(); e < task_.k; e += team_.size())
          task_.index[query * task_.k + e] = e < size_[q] ? label_[q * capacity_ + e] : -1;
    }

    const TeamNearest& task_;
    const Team& team_;
    int capacity_;
    double* point_;
    double* distance_;
    int* label_;
    Index limit_[group];
    int excluded_[group], size_[group], bound_label_[group];
    double bound_[group];
  };
};

}  // namespace neargp
