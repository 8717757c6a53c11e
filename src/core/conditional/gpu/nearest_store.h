// The nearest candidates of a query. Those nearer than the k-th nearest so far are appended. When the store is full,
// the team sorts it and keeps k.
#pragma once

#include <climits>
#include <cmath>

#include "conditional/gpu/sort.h"
#include "conditional/gpu/team.h"

namespace neargp {

class NearestStore {
 public:
  NearestStore() = default;
  NEARGP_HD NearestStore(int k, TeamArena& arena)
      : k_(k), capacity_(capacity_for(k)), distance_(arena.take<double>(capacity_)),
        label_(arena.take<int>(capacity_)) {}

  NEARGP_HD void clear() {
    size_ = 0;
    bound_ = HUGE_VAL;
    bound_label_ = INT_MAX;
  }

  // No candidate that is farther is among the k nearest.
  NEARGP_HD double bound() const { return bound_; }

  // Each thread offers a candidate, unless it is not eligible.
  template <class Team>
  NEARGP_HD void offer(const Team& team, bool is_eligible, double distance, int label) {
    const bool wanted = is_eligible && is_nearer(distance, label, bound_, bound_label_);
    int total;
    const int place = team.place(wanted, total);
    if (total == 0) return;
    for (int stored = 0; stored < total;) {  // at once, but for teams of more threads than a store has room for
      if (size_ + total - stored > capacity_) keep_nearest(team);
      const int part = total - stored < capacity_ - size_ ? total - stored : capacity_ - size_;
      if (wanted && place >= stored && place < stored + part) {
        distance_[size_ + place - stored] = distance;
        label_[size_ + place - stored] = label;
      }
      size_ += part;
      stored += part;
    }
  }

  // Sorts the store and cuts it to k, whose last is the new bound.
  template <class Team>
  NEARGP_HD void keep_nearest(const Team& team) {
    for (int e = size_ + team.rank(); e < capacity_; e += team.size()) {
      distance_[e] = HUGE_VAL;
      label_[e] = INT_MAX;
    }
    team.barrier();
    team_sort(team, capacity_, distance_, label_);
    if (size_ < k_) return;
    size_ = k_;
    bound_ = distance_[k_ - 1];
    bound_label_ = label_[k_ - 1];
    team.barrier();
  }

  // The labels of a store that is sorted, and -1 where there are fewer than k.
  template <class Team>
  NEARGP_HD void write(const Team& team, int* to) const {
    for (int e = team.rank(); e < k_; e += team.size()) to[e] = e < size_ ? label_[e] : -1;
  }

 private:
  static NEARGP_HD int capacity_for(int k) {
    int size = 64;
    while (size < 2 * k || size < k + 64) size *= 2;
    return size;
  }

  int k_ = 0, capacity_ = 0;
  double* distance_ = nullptr;
  int* label_ = nullptr;
  int size_ = 0, bound_label_ = INT_MAX;
  double bound_ = HUGE_VAL;
};

}  // namespace neargp
