// Data and targets of the primitive as their owners hand them over, and the view that the kernels read.
#pragma once

#include <vector>

#include "conditional/view.h"
#include "covariance/covariance.h"
#include "geometry/neighbors.h"
#include "geometry/points.h"

namespace neargp {

// Row-major arrays of n data.
struct LocalData {
  Points coords;
  int columns = 0;
  const double* values = nullptr;       // n x columns: the response, then the trend's design
  const double* noise_scale = nullptr;  // n
  const int* outputs = nullptr;         // n: which of several outputs a row is of, from 0; null: one output
  // Where noise differs between rows by a model of its own: the number of its parameters, and the derivative of each
  // row's noise variance in each of them. In a gradient they follow the covariance's (Covariance::noise_parameters).
  int noise_parameters = 0;
  const double* noise_derivatives = nullptr;  // n x noise_parameters
};

// Targets, each with a conditioning set among the data.
struct LocalTargets {
  Points coords;
  int k = 0;
  const int* neighbors = nullptr;             // targets x k: rows of the data, -1 where there are fewer
  const double* values = nullptr;             // targets x columns; null: not needed
  const double* noise_scale = nullptr;        // targets; null: the noise-free field
  const double* noise_derivatives = nullptr;  // targets x noise_parameters of the data
  const int* outputs = nullptr;               // targets

  LocalTargets(Points coords_, const NeighborTable& table, const int* outputs_ = nullptr)
      : coords(coords_), k(table.k), neighbors(table.index.data()), outputs(outputs_) {}
  LocalTargets(Points coords_, int k_, const int* neighbors_) : coords(coords_), k(k_), neighbors(neighbors_) {}
};

LocalView view_of(const LocalData& data, const LocalTargets& targets);

// Throws an Error unless all coordinates are numbers of at most 1e30 in size.
void check_coordinates(Points points);

[[noreturn]] void refuse_row(Index number, Index n);

// Throws an Error unless all rows lie in smallest .. n - 1. If rows may be absent, `smallest` is -1, else 0.
template <class Rows>
void check_rows(const Rows& rows, int smallest, Index n) {
  for (const int row : rows)
    if (row < smallest || row >= n) refuse_row(Index(row) + 1, n);
}

// Throws an Error unless the covariance includes all outputs that n rows name, or is without outputs if the rows are.
void check_outputs(const int* outputs, Index n, const Covariance& covariance);

}  // namespace neargp
