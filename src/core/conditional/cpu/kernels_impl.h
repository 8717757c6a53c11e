// Fills a table of kernels for packs of NEARGP_LANES. Included once by each
// instruction set's translation unit, after the compiler has been told the target.
#pragma once

#include "conditional/cpu/conditional_adjoint.h"
#include "conditional/cpu/conditional_gradient.h"
#include "conditional/cpu/conditional_sums.h"
#include "conditional/cpu/conditional_weights.h"
#include "conditional/cpu/joint_sums.h"
#include "conditional/cpu/kernels.h"
#include "conditional/cpu/projected_adjoint.h"

namespace neargp {

template <int Lanes>
struct KernelsOf {
  using View = LocalView;
  using Prepared = PreparedCovariance;

  static std::size_t conditional_sums_scratch(const View& view, const Prepared& covariance, bool information) {
    Arena arena(nullptr);
    ConditionalSums<Lanes> counted(view, covariance, information, arena);
    return arena.used();
  }
  static Index conditional_sums(const View& view, const Prepared& covariance, bool information,
                                Index first, Index last, double* scratch, double* out) {
    Arena arena(scratch);
    return ConditionalSums<Lanes>(view, covariance, information, arena).run(first, last, out);
  }

  static std::size_t conditional_gradient_scratch(const View& view, const Prepared& covariance) {
    Arena arena(nullptr);
    ConditionalGradient<Lanes> counted(view, covariance, arena);
    return arena.used();
  }
  static Index conditional_gradient(const View& view, const Prepared& covariance, Index first, Index last,
                                    double* scratch, double* out) {
    Arena arena(scratch);
    return ConditionalGradient<Lanes>(view, covariance, arena).run(first, last, out);
  }

  static std::size_t joint_sums_scratch(const View& view, const Prepared& covariance, bool gradient) {
    Arena arena(nullptr);
    JointSums<Lanes> counted(view, covariance, gradient, arena);
    return arena.used();
  }
  static Index joint_sums(const View& view, const Prepared& covariance, bool gradient, Index first,
                          Index last, double* scratch, double* out) {
    Arena arena(scratch);
    return JointSums<Lanes>(view, covariance, gradient, arena).run(first, last, out);
  }

  static std::size_t conditional_weights_scratch(const View& view, const Prepared& covariance,
                                                 bool local_mean) {
    Arena arena(nullptr);
    ConditionalWeights<Lanes> counted(view, covariance, local_mean, arena);
    return arena.used();
  }
  static Index conditional_weights(const View& view, const Prepared& covariance, bool local_mean,
                                   Index first, Index last, double* scratch,
                                   const ConditionalWeightsOutput& out) {
    Arena arena(scratch);
    return ConditionalWeights<Lanes>(view, covariance, local_mean, arena).run(first, last, out);
  }

  static std::size_t conditional_adjoint_scratch(const View& view, const Prepared& covariance) {
    Arena arena(nullptr);
    ConditionalAdjoint<Lanes> counted(view, covariance, arena);
    return arena.used();
  }
  static Index conditional_adjoint(const View& view, const Prepared& covariance, const ConditionalAdjointInput& input,
                                   Index first, Index last, double* scratch, double* out) {
    Arena arena(scratch);
    return ConditionalAdjoint<Lanes>(view, covariance, arena).run(input, first, last, out);
  }

  static std::size_t projected_adjoint_scratch(const View& view, const Prepared& covariance, bool locations) {
    Arena arena(nullptr);
    ProjectedAdjoint<Lanes> counted(view, covariance, locations, arena);
    return arena.used();
  }
  static Index projected_adjoint(const View& view, const Prepared& covariance, const ProjectedTerms& terms, Index first,
                                 Index last, double* scratch, double* out) {
    Arena arena(scratch);
    return ProjectedAdjoint<Lanes>(view, covariance, terms.d_locations != nullptr, arena).run(terms, first, last, out);
  }

  static constexpr LocalKernels table() {
    return {conditional_sums_scratch,
            conditional_sums,
            conditional_gradient_scratch,
            conditional_gradient,
            joint_sums_scratch,
            joint_sums,
            conditional_weights_scratch,
            conditional_weights,
            conditional_adjoint_scratch,
            conditional_adjoint,
            projected_adjoint_scratch,
            projected_adjoint};
  }
};

}  // namespace neargp
