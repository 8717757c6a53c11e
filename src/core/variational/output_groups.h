// Rows of several outputs, gathered by place: groups of places at which the same outputs are known.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "geometry/points.h"

namespace neargp {

// Row i of n is output outputs[i] at place places[i]; both count from 0, and no two rows are the same output at the
// same place. `values`: n x columns, row-major: response, then design. The noise variance of a row is the nugget of its
// output times the noise_scale of its place. Owns nothing.
struct OutputRegression {
  Points places;
  const double* noise_scale = nullptr;
  Index n = 0;
  int columns = 1;
  const double* values = nullptr;
  const int* output_of_row = nullptr;
  const int* place_of_row = nullptr;
};

struct OutputGroup {
  std::vector<int> outputs;
  std::vector<double> coords;           // of the places, row-major
  Eigen::VectorXd weights;              // 1 / noise_scale of the places
  std::vector<Eigen::MatrixXd> values;  // of each of the outputs, a row for each place
  int dim = 0;

  Index size() const { return weights.size(); }
  Points places(Index first, Index last) const { return {coords.data() + first * dim, last - first, dim}; }
};

// Groups by which outputs are known; or, where that makes more groups than there are outputs, one group for each
// output, so that a place is in several. The places of a group are in their order.
std::vector<OutputGroup> output_groups(const OutputRegression& data, int outputs);

}  // namespace neargp
