// What local computations take and give besides views and covariances: plain data, shared by all instruction sets.
#pragma once

#include "base/constants.h"
#include "base/hd.h"
#include "base/types.h"

namespace neargp {

// Where each sum of conditional/cpu/conditional_sums.h stands in the output of a chunk.
struct ConditionalSumsLayout {
  int columns, parameters;

  NEARGP_HD int log_det() const { return 0; }
  NEARGP_HD int gram(int i, int j) const { return 1 + i * columns + j; }
  NEARGP_HD int d_log_det(int a) const { return 1 + columns * columns + a; }
  NEARGP_HD int d_gram(int a, int i, int j) const {
    return 1 + columns * columns + parameters + (a * columns + i) * columns + j;
  }
  NEARGP_HD int information(int a, int b) const {
    return 1 + columns * columns + parameters * (1 + columns * columns) + a * parameters + b;
  }
  NEARGP_HD int size(bool with_information) const {
    return with_information ? information(parameters, 0) : 1 + columns * columns;
  }
};

// Arrays that conditional/cpu/conditional_weights.h fills, row-major; `weights` may be null.
struct ConditionalWeightsOutput {
  double* weighted = nullptr;  // targets x columns
  double* variance = nullptr;  // targets
  double* weights = nullptr;   // targets x k
};

// Partial derivatives of an objective in the weights b and variances of all targets, or, where
// the objective sees of the weights only the weighted sums b'x_c of the columns, in these; where
// it is not null, `noise` gets those in the noise variances of the conditioning sets.
struct ConditionalAdjointInput {
  const double* weights = nullptr;   // targets x k
  const double* variance = nullptr;  // targets
  double* noise = nullptr;           // targets x k
  const double* weighted = nullptr;  // targets x columns; not null: in the place of `weights`
};

// What conditional/cpu/projected_adjoint.h finds and asks: arrays over the targets.
struct ProjectedTerms {
  // found
  double* mean = nullptr;
  double* spread = nullptr;
  double* variance = nullptr;
  double* weights = nullptr;      // targets x k
  double* d_locations = nullptr;  // targets x (k + 1) x dim, the target last; may be null

  // Called when the first three are there for the targets first .. last-1, possibly from several threads at once on
  // different targets: fills the derivatives of their terms.
  void (*differentiate)(void* context, Index first, Index last) = nullptr;
  void* context = nullptr;
  const double* d_mean = nullptr;
  const double* d_spread = nullptr;
  const double* d_variance = nullptr;
};

}  // namespace neargp
