// The computations of covariances that are compiled once for each instruction set.
#pragma once

#include "covariance/matern_table.h"

namespace neargp {

struct CovarianceKernels {
  // The arrays have MaternTable::intervals * 8 elements; `shape` may be null.
  void (*fill_matern_table)(const MaternSmoothness& smoothness, double* value, double* shape);
};

// The table of the instruction set in use (simd/instruction_set.h).
const CovarianceKernels& covariance_kernels();

}  // namespace neargp
