// The computations of covariances that are compiled once for each instruction set.
#pragma once

#include "covariance/correlation_column.h"
#include "covariance/matern_table.h"

namespace neargp {

struct CovarianceKernels {
  // The arrays have MaternTable::intervals * 8 elements; `shape` may be null.
  void (*fill_matern_table)(const MaternSmoothness& smoothness, double* value, double* shape);
  // Covariances of one point with many others, of a component with this family and variance.
  void (*covariance_column)(const FamilyChoice<double>& choice, double variance, const ColumnPlaces& places,
                            const ColumnEntries& out);
};

// The table of the instruction set in use (simd/instruction_set.h).
const CovarianceKernels& covariance_kernels();

}  // namespace neargp
