// Fills a table of kernels for packs of NEARGP_LANES. Included once by each
// instruction set's translation unit, after the pragma that sets the target.
#pragma once

#include "conditional/cpu/conditional_adjoint.h"
#include "conditional/cpu/conditional_gradient.h"
#include "conditional/cpu/conditional_weights.h"
#include "conditional/cpu/joint_sums.h"
#include "conditional/cpu/kernels.h"
#include "conditional/cpu/projected_adjoint.h"
#include "conditional/cpu/vecchia_sums.h"

namespace neargp {

template <int Lanes>
struct KernelsOf {
  template <class Operation>
  static std::size_t scratch_doubles(const LocalView& view, const PreparedCovariance& covariance,
                                     const Operation& operation) {
    Arena arena(nullptr);
    CpuKernel<Operation, Lanes> counted(view, covariance, operation, arena);
    return arena.used();
  }

  template <class Operation>
  static Index run(const LocalView& view, const PreparedCovariance& covariance, const Operation& operation, Index first,
                   Index last, double* scratch, double* sums) {
    Arena arena(scratch);
    return CpuKernel<Operation, Lanes>(view, covariance, operation, arena).run(first, last, sums);
  }

  template <class Operation>
  static constexpr KernelFunctions<Operation> entry() {
    return {scratch_doubles<Operation>, run<Operation>};
  }

  static constexpr LocalKernels table() { return LocalKernels::from<KernelsOf>(); }
};

}  // namespace neargp
