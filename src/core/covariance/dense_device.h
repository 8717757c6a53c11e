// A device for dense matrices: its memory, the products of linalg/product_engine.h on matrices that lie there, and
// covariances between points with the slopes that an adjoint needs. Matrices are column-major. Functions report trouble
// by throwing an Error.
#pragma once

#include <cstddef>

#include "covariance/prepared.h"
#include "linalg/stacked_products.h"

namespace neargp {

// Points in the metric of a component (scale_point()), a row for each, on the device. Each matrix of a stack uses
// points of its own, `step` numbers behind those of the one before.
struct ScaledPoints {
  const double* data;
  Index n;
  Index step = 0;
};

// The sums over pairs of an adjoint times covariances and times their derivatives in the shape.
struct PairSums {
  double value = 0.0, shape = 0.0;
};

struct DenseDevice {
  const char* name;

  void (*use)();  // by the host's thread, before the other functions
  Index (*free_bytes)();
  void* (*allocate)(std::size_t bytes);
  void (*release)(void* pointer);  // never throws
  void (*upload)(void* to, const void* from, std::size_t bytes);
  void (*download)(void* to, const void* from, std::size_t bytes);
  void (*clear)(void* pointer, std::size_t bytes);

  const ProductEngine* products;  // of blocks in the device's memory

  const StackEngine* stacks;  // of stacks of these

  // to = diag(scale) from + diag(keep) to, without the second where `keep` is null. `scale` and `keep` contain a number
  // for each row of each matrix.
  void (*combine_rows)(const double* scale, ConstStack from, const double* keep, Stack to);
  void (*scale_columns)(const double* scale, Stack x);  // with a number for each column of each matrix
  void (*add_squares)(ConstStack a, const double* of_column, double* sums);  // sums_wi += sum_j of_column_wj a_wij^2
  void (*mirror_upper)(Stack x);                                        // what is below the diagonal = what is above it
  void (*multiply_rows)(ConstBlock a, ConstBlock b, double* products);  // products_i = sum_j a_ij b_ij
  // Adds the covariances of one component between `rows`, down, and `points`, times a factor for each matrix (null: 1).
  void (*add_covariances)(const PreparedCovariance& covariance, int component, ScaledPoints rows, ScaledPoints points,
                          const double* factor, Stack sum);
  // Multiplies an adjoint, in memory, by the derivatives of the same covariances in the squared scaled distance. The
  // covariance must be one that keeps slopes.
  void (*scale_by_slopes)(const PreparedCovariance& covariance, int component, ScaledPoints rows, ScaledPoints points,
                          const double* factor, Stack bar);
  // The same of one matrix, in `slopes`, which may be `bar`, with the sums over its pairs.
  PairSums (*multiply_slopes)(const PreparedCovariance& covariance, int component, ScaledPoints rows,
                              ScaledPoints points, ConstBlock bar, Block slopes);
};

}  // namespace neargp
