// Rows of multiple outputs, gathered into groups of locations at which the same outputs are known.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "geometry/points.h"

namespace neargp {

// Row i of n is output output_of_row[i] at location place_of_row[i]. Both count from 0, and no two rows are the same
// output at the same location. `values`: n x columns, row-major: response, then design. The noise variance of a row is
// the nugget of its output times the noise_scale of its location. Owns nothing.
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
  std::vector<double> coords;           // of the locations, row-major
  Eigen::VectorXd weights;              // 1 / noise_scale of the locations
  std::vector<Eigen::MatrixXd> values;  // of each of the outputs, a row for each location
  int dim = 0;

  Index size() const { return weights.size(); }
  Points places(Index first, Index last) const { return {coords.data() + first * dim, last - first, dim}; }
};

// Groups the locations by the outputs that are known there. If these groups would outnumber the outputs, there is one
// group for each output instead, and a location may be in more than one of them. The locations of a group keep their
// order.
std::vector<OutputGroup> output_groups(const OutputRegression& data, int outputs);

}  // namespace neargp
