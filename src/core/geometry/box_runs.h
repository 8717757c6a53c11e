#pragma once

#include <algorithm>
#include <limits>

#include "base/unset_vector.h"
#include "geometry/kd_tree.h"

namespace neargp {

// Boxes side by side in runs of `length`, as box_distances() takes them. NaN fills the last run, and its distance
// compares false with everything.
class BoxRuns {
 public:
  static constexpr std::size_t length = KdTree::leaf_size;

  void start(std::size_t boxes, int dim) {
    dim_ = std::size_t(dim);
    runs_ = (boxes + length - 1) / length;
    sides_.resize(runs_ * 2 * dim_ * length);
    if (boxes % length != 0)
      std::fill(sides_.end() - 2 * dim_ * length, sides_.end(), std::numeric_limits<double>::quiet_NaN());
  }

  void set(std::size_t i, const double* low, const double* high) {
    double* place = sides_.data() + i / length * 2 * dim_ * length + i % length;
    for (std::size_t c = 0; c < dim_; ++c) {
      place[2 * c * length] = low[c];
      place[(2 * c + 1) * length] = high[c];
    }
  }

  std::size_t runs() const { return runs_; }
  const double* operator[](std::size_t run) const { return sides_.data() + run * 2 * dim_ * length; }

 private:
  std::size_t dim_ = 0, runs_ = 0;
  UnsetVector<double> sides_;
};

}  // namespace neargp
