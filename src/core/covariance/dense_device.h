// A device for dense matrices: its memory, the products of linalg/product_engine.h on matrices that lie there, and
// covariances between points with the slopes that an adjoint needs. Matrices are column-major. Functions report trouble
// by throwing an Error.
#pragma once

#include <cstddef>

#include "covariance/prepared.h"
#include "linalg/product_engine.h"

namespace neargp {

// Points in the metric of a component (scale_point()), a row for each, on the device.
struct ScaledPoints {
  const double* data;
  Index n;
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

  // to = diag(scale) from + diag(keep) to, without the second where `keep` is null.
  void (*combine_rows)(const double* scale, ConstBlock from, const double* keep, Block to);
  void (*multiply_rows)(ConstBlock a, ConstBlock b, double* products);  // products_i = sum_j a_ij b_ij
  // Adds the covariances of one component between `rows`, down, and `points`.
  void (*add_covariances)(const PreparedCovariance& covariance, int component, ScaledPoints rows, ScaledPoints points,
                          Block sum);
  // An adjoint times the derivatives of the same covariances in the squared scaled distance. `slopes` may be `bar`. The
  // covariance is one that keeps slopes.
  PairSums (*multiply_slopes)(const PreparedCovariance& covariance, int component, ScaledPoints rows,
                              ScaledPoints points, ConstBlock bar, Block slopes);
};

}  // namespace neargp
