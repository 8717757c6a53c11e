// Products, triangular solves and Cholesky factors of dense matrices in double precision, on the calling thread. A fast
// BLAS computes them where the caller hands one over (linalg/blas_engine.h). Otherwise Eigen does, compiled once more
// for processors with AVX2, where it takes less than half of the time. Processors with AVX-512 compute products in
// about two thirds of that (linalg/packed_product.h). The choice is made at run time (simd/instruction_set.h). Blocks
// are column-major, and those of one call do not overlap.
#pragma once

#include "base/types.h"

namespace neargp {

struct ConstBlock {
  const double* data;
  Index rows, columns, stride;  // as stored, the transpose not taken
  bool transposed = false;
};

struct Block {
  double* data;
  Index rows, columns, stride;
};

struct ProductEngine {
  const char* name;
  void (*add_product)(double alpha, ConstBlock a, ConstBlock b, Block c);  // C += alpha A B
  void (*add_square)(double alpha, ConstBlock a, Block c);                 // C += alpha A A', lower triangle only
  void (*solve_left)(ConstBlock lower, Block x);   // X = L^-1 X, or L^-T X where `lower` is transposed
  void (*solve_right)(ConstBlock lower, Block x);  // X = X L^-1, or X L^-T
  bool (*factorize)(Block s);                      // S = LL', lower triangle only; false where a pivot is not positive
};

// The engine that use_product_engine() chose, else Eigen's for the instruction set in use.
const ProductEngine& product_engine();

// Eigen's engine for the instruction set in use, whatever was chosen. The digits of a column that it solves for depend
// on the number of columns solved for together, and on nothing else about the other columns. A BLAS makes no such
// promise.
const ProductEngine& eigen_engine();

// Chooses the engine; null undoes the choice. Must not be called while a computation runs.
void use_product_engine(const ProductEngine* engine);

}  // namespace neargp
