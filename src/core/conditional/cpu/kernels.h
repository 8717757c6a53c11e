// The operations on the CPU as a table of functions, one table per instruction set.
#pragma once

#include <cstddef>

#include "conditional/operations.h"
#include "conditional/view.h"
#include "covariance/prepared.h"

namespace neargp {

// An operation on packs of `Lanes` lanes. The file of the operation's name contains the specialisation. Its constructor
// takes view, covariance, operation and an Arena. For run(first, last, sums) see below.
template <class Operation, int Lanes>
class CpuKernel;

// An operation on the targets first .. last-1. `scratch` starts on a cache line, and scratch_doubles() returns its
// length. Sums are added to `sums`. The result is the smallest target whose covariance matrix could not be factorised,
// or -1.
template <class Operation>
struct KernelFunctions {
  std::size_t (*scratch_doubles)(const LocalView&, const PreparedCovariance&, const Operation&);
  Index (*run)(const LocalView&, const PreparedCovariance&, const Operation&, Index first, Index last, double* scratch,
               double* sums);
};

using LocalKernels = OperationTable<KernelFunctions>;

// The table of the instruction set in use (simd/instruction_set.h).
const LocalKernels& local_kernels();

}  // namespace neargp
