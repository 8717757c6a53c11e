// Chunks of locations with the same number of rows.
#pragma once

#include <algorithm>

#include <Eigen/Core>

#include "geometry/points.h"

namespace neargp {

// Products of other widths may round differently. Therefore the last rows of some targets are computed in a full chunk,
// with its last location repeated. The other targets of a call then play no part in a result.
class PaddedPlaces {
 public:
  PaddedPlaces(Points targets, Index first, Index rows) : coords_(rows, targets.dim) {
    for (Index i = 0; i < rows; ++i)
      for (int d = 0; d < targets.dim; ++d) coords_(i, d) = targets[std::min(first + i, targets.n - 1)][d];
  }

  Points view() const { return {coords_.data(), coords_.rows(), int(coords_.cols())}; }

 private:
  Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> coords_;
};

}  // namespace neargp
