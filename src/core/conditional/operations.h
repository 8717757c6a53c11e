// The operations that a device offers on a view and a covariance. Each is described once, by its further arguments, its
// results, and the number of its sums over targets. Operations are plain data, shared by all devices and instruction
// sets. For the formulas see the file of the operation's name in conditional/cpu/, which contains CpuKernel<Operation,
// Lanes>. Its counterpart for GPUs is in conditional/gpu/.
//
// The member functions of an operation are the following.
//
//   `sums(columns, parameters)`     Returns the number of sums over targets that it computes.
//   `for_each_array(view, visit)`   Exists if there are arrays over targets. Calls `visit(array, numbers per target)`
//                                   for each. Inputs are arrays of const double, results are arrays of double.
#pragma once

#include <initializer_list>

#include "base/constants.h"
#include "base/hd.h"
#include "base/types.h"
#include "conditional/view.h"

namespace neargp {

// Where each sum of VecchiaSums stands.
struct VecchiaSumsLayout {
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

// Vecchia's likelihood of the targets, and LOO-k's: see response/vecchia_likelihood.h.
struct VecchiaSums {
  bool information;  // and the gradient
  // The number of targets of a tile: the view's target and the last neighbours before it. Each is conditioned on the
  // neighbours before it. Absent ones add nothing. More than one: CPU only.
  int block = 1;

  NEARGP_HD int sums(int columns, int parameters) const {
    return VecchiaSumsLayout{columns, parameters}.size(information);
  }
};

// The objective, then its gradient. The view's only column is the residual.
struct ConditionalGradient {
  NEARGP_HD int sums(int, int parameters) const { return 1 + parameters; }
};

// log_det, then gram (columns x columns, lower part filled); or, of the residual as the view's only column, the sum of
// log densities, then its gradient.
struct JointSums {
  bool gradient;

  NEARGP_HD int sums(int columns, int parameters) const { return gradient ? 1 + parameters : 1 + columns * columns; }
};

// Arrays to be filled, row-major; null: not wanted.
struct ConditionalWeights {
  bool local_mean;
  double* weighted = nullptr;  // targets x columns; not null where there are columns
  double* variance = nullptr;  // targets; not null
  double* weights = nullptr;   // targets x k
  const double* taper =
      nullptr;  // targets x k, see smooth_kriging() in conditional/cpu/conditional_weights.h; CPU only

  NEARGP_HD int sums(int, int) const { return 0; }
  template <class Visit>
  void for_each_array(const LocalView& view, const Visit& visit) {
    visit(weighted, view.columns);
    visit(variance, 1);
    visit(weights, view.k);
  }
};

// Partial derivatives of an objective in the weights b and variances of all targets. If the objective
// depends on the weights only through the weighted sums b'x_c, derivatives in these replace those in b.
// If `noise` is not null, it gets the derivatives in the noise variances of the conditioning sets.
struct ConditionalAdjoint {
  const double* weights = nullptr;   // targets x k
  const double* variance = nullptr;  // targets
  double* noise = nullptr;           // targets x k
  const double* weighted = nullptr;  // targets x columns; not null: in the place of `weights`

  NEARGP_HD int sums(int, int parameters) const { return parameters; }
  template <class Visit>
  void for_each_array(const LocalView& view, const Visit& visit) {
    visit(weights, view.k);
    visit(variance, 1);
    visit(noise, view.k);
    visit(weighted, view.columns);
  }
};

// The moments that the terms of a projected field need from the covariance.
struct ProjectedMoments {
  double* mean = nullptr;
  double* projected = nullptr;
  double* variance = nullptr;
  double* weights = nullptr;  // targets x k

  template <class Visit>
  void for_each_array(const LocalView& view, const Visit& visit) {
    for (double** array : {&mean, &projected, &variance}) visit(*array, 1);
    visit(weights, view.k);
  }
};

// The derivatives of the terms in the first three, and the gradient in the locations that follows from them.
struct ProjectedDerivatives {
  const double* d_mean = nullptr;
  const double* d_projected = nullptr;
  const double* d_variance = nullptr;
  double* d_locations = nullptr;  // targets x (k + 1) x dim, the target last; may be null

  template <class Visit>
  void for_each_array(const LocalView& view, const Visit& visit) {
    for (const double** array : {&d_mean, &d_projected, &d_variance}) visit(*array, 1);
    visit(d_locations, (view.k + 1) * view.dim);
  }
};

// Minus the divergence of independent normals N(m_l, s_l) at the members of a target's conditioning set from their
// joint prior N(0, K). With it, the derivatives of all terms in the members' moments take the place of the weights. CPU
// only.
struct MembersDivergence {
  double weight = 0.0;  // of these terms in the objective; 0: not wanted
  double* value = nullptr;
  double* in_mean = nullptr;          // targets x k: in m_l
  double* in_log_variance = nullptr;  // targets x k: in log s_l
};

struct ProjectedAdjoint : ProjectedMoments, ProjectedDerivatives {
  // Fills the derivatives of the terms of the targets first .. last-1. It is called when their moments are computed,
  // possibly from several threads at once on different targets.
  void (*differentiate)(void* context, Index first, Index last) = nullptr;
  void* context = nullptr;
  MembersDivergence divergence;

  NEARGP_HD int sums(int, int parameters) const { return parameters; }
};

template <template <class Operation> class Entry, class... Operations>
struct TableOf : Entry<Operations>... {
  // Source::entry<Operation>() for each operation.
  template <class Source>
  static constexpr TableOf from() {
    return {Source::template entry<Operations>()...};
  }
};

// A table with an entry for each operation, Entry<Operation>, to which it converts.
template <template <class Operation> class Entry>
using OperationTable = TableOf<Entry, VecchiaSums, ConditionalGradient, JointSums, ConditionalWeights,
                               ConditionalAdjoint, ProjectedAdjoint>;

}  // namespace neargp
