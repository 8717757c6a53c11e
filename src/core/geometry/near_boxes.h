#pragma once

#include <algorithm>
#include <limits>
#include <vector>

#include "geometry/box_runs.h"
#include "geometry/kd_tree.h"

namespace neargp {

// A list of boxes, searched by their distance from another box. Boxes that are close together should be close in the
// list. In a long list, the box around each run of them is compared first.
template <int Dim>
class NearBoxes {
 public:
  void start(std::size_t boxes) {
    boxes_.start(boxes, Dim);
    is_long_ = boxes_.runs() > most_runs;
    if (is_long_) runs_.assign(boxes_.runs(), Bounds());
  }

  void set(std::size_t i, const double* low, const double* high) {
    boxes_.set(i, low, high);
    if (is_long_) runs_[i / BoxRuns::length].include(low, high);
  }

  // After all boxes are set.
  void finish() {
    if (!is_long_) return;
    boxes_of_runs_.start(runs_.size(), Dim);
    distance2_of_run_.resize(boxes_of_runs_.runs() * BoxRuns::length);
    for (std::size_t run = 0; run < runs_.size(); ++run) boxes_of_runs_.set(run, runs_[run].low, runs_[run].high);
  }

  // The number of boxes with those that only fill a run.
  std::size_t size_of_runs() const { return boxes_.runs() * BoxRuns::length; }

  // Calls visit(first, distance2) for each run with a box that can be nearer than the root of `reach2`. `first` is the
  // number of the run's first box, and `distance2` are the squared distances of the run's boxes.
  template <class Visit>
  void for_runs_near(const double* low, const double* high, double reach2, const Visit& visit) {
    for (std::size_t run = 0; is_long_ && run < boxes_of_runs_.runs(); ++run)
      box_distances(boxes_of_runs_[run], low, high, Dim, distance2_of_run_.data() + run * BoxRuns::length);
    for (std::size_t run = 0; run < boxes_.runs(); ++run) {
      if (is_long_ && distance2_of_run_[run] >= reach2) continue;
      double distance2[BoxRuns::length];
      box_distances(boxes_[run], low, high, Dim, distance2);
      visit(run * BoxRuns::length, distance2);
    }
  }

 private:
  static constexpr std::size_t most_runs = 4;

  struct Bounds {
    double low[Dim], high[Dim];

    Bounds() {
      std::fill_n(low, Dim, std::numeric_limits<double>::infinity());
      std::fill_n(high, Dim, -std::numeric_limits<double>::infinity());
    }
    void include(const double* other_low, const double* other_high) {
      for (int c = 0; c < Dim; ++c) {
        low[c] = std::min(low[c], other_low[c]);
        high[c] = std::max(high[c], other_high[c]);
      }
    }
  };

  bool is_long_ = false;
  BoxRuns boxes_, boxes_of_runs_;
  std::vector<Bounds> runs_;
  std::vector<double> distance2_of_run_;
};

}  // namespace neargp
