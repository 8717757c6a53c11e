// The local computations as a table of functions, one table per instruction set.
#pragma once

#include <cstddef>

#include "conditional/conditional_output.h"
#include "conditional/view.h"
#include "covariance/prepared.h"

namespace neargp {

// Each is a computation over the targets first .. last-1. `scratch` starts on a cache
// line and has as many doubles as the matching size function says.
// Sums are added to `out`. The result is the smallest target whose covariance matrix
// could not be factorised, or -1.
struct LocalKernels {
  std::size_t (*conditional_sums_scratch)(const LocalView&, const PreparedCovariance&, bool information);
  Index (*conditional_sums)(const LocalView&, const PreparedCovariance&, bool information, Index first,
                            Index last, double* scratch, double* out);

  std::size_t (*conditional_gradient_scratch)(const LocalView&, const PreparedCovariance&);
  Index (*conditional_gradient)(const LocalView&, const PreparedCovariance&, Index first, Index last,
                                double* scratch, double* out);

  std::size_t (*joint_sums_scratch)(const LocalView&, const PreparedCovariance&, bool gradient);
  Index (*joint_sums)(const LocalView&, const PreparedCovariance&, bool gradient, Index first, Index last,
                      double* scratch, double* out);

  std::size_t (*conditional_weights_scratch)(const LocalView&, const PreparedCovariance&, bool local_mean);
  Index (*conditional_weights)(const LocalView&, const PreparedCovariance&, bool local_mean, Index first,
                               Index last, double* scratch, const ConditionalWeightsOutput& out);

  std::size_t (*conditional_adjoint_scratch)(const LocalView&, const PreparedCovariance&);
  Index (*conditional_adjoint)(const LocalView&, const PreparedCovariance&, const ConditionalAdjointInput& input,
                               Index first, Index last, double* scratch, double* out);

  std::size_t (*projected_adjoint_scratch)(const LocalView&, const PreparedCovariance&, bool locations);
  Index (*projected_adjoint)(const LocalView&, const PreparedCovariance&, const ProjectedTerms& terms, Index first,
                             Index last, double* scratch, double* out);
};

// The table of the instruction set in use (simd/instruction_set.h).
const LocalKernels& local_kernels();

}  // namespace neargp
