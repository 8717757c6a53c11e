// The CPU as a device: a view is itself, and kernels run over chunks of targets.
#include "conditional/backend.h"
#include "conditional/cpu/kernels.h"
#include "conditional/sum_chunks.h"

namespace neargp {

namespace {

const LocalView& view_of(void* device_view) { return *static_cast<LocalView*>(device_view); }

void* open(const LocalView& view) { return new LocalView(view); }

void set_values(void* device_view, const LocalView& view) { *static_cast<LocalView*>(device_view) = view; }

void set_batch(void* device_view, const LocalView& view, const ChangedData&) { set_values(device_view, view); }

void close(void* device_view) { delete static_cast<LocalView*>(device_view); }

Index conditional_sums(void* device_view, const PreparedCovariance& covariance, bool information,
                       const RunContext& context, std::vector<double>& sums) {
  const LocalView& view = view_of(device_view);
  const LocalKernels& kernels = local_kernels();
  sums.assign(ConditionalSumsLayout{view.columns, covariance.parameters}.size(information), 0.0);
  return sum_chunks(view, kernels.conditional_sums_scratch(view, covariance, information), context, sums,
                    [&](Index first, Index last, double* scratch, double* out) {
                      return kernels.conditional_sums(view, covariance, information, first, last, scratch, out);
                    });
}

Index conditional_gradient(void* device_view, const PreparedCovariance& covariance, const RunContext& context,
                           std::vector<double>& sums) {
  const LocalView& view = view_of(device_view);
  const LocalKernels& kernels = local_kernels();
  sums.assign(1 + covariance.parameters, 0.0);
  return sum_chunks(view, kernels.conditional_gradient_scratch(view, covariance), context, sums,
                    [&](Index first, Index last, double* scratch, double* out) {
                      return kernels.conditional_gradient(view, covariance, first, last, scratch, out);
                    });
}

Index joint_sums(void* device_view, const PreparedCovariance& covariance, bool gradient, const RunContext& context,
                 std::vector<double>& sums) {
  const LocalView& view = view_of(device_view);
  const LocalKernels& kernels = local_kernels();
  sums.assign(gradient ? 1 + covariance.parameters : 1 + view.columns * view.columns, 0.0);
  return sum_chunks(view, kernels.joint_sums_scratch(view, covariance, gradient), context, sums,
                    [&](Index first, Index last, double* scratch, double* out) {
                      return kernels.joint_sums(view, covariance, gradient, first, last, scratch, out);
                    });
}

Index conditional_weights(void* device_view, const PreparedCovariance& covariance, bool local_mean,
                          const RunContext& context, const ConditionalWeightsOutput& out) {
  const LocalView& view = view_of(device_view);
  const LocalKernels& kernels = local_kernels();
  std::vector<double> no_sums;
  return sum_chunks(view, kernels.conditional_weights_scratch(view, covariance, local_mean), context, no_sums,
                    [&](Index first, Index last, double* scratch, double*) {
                      return kernels.conditional_weights(view, covariance, local_mean, first, last, scratch, out);
                    });
}

Index conditional_adjoint(void* device_view, const PreparedCovariance& covariance, const ConditionalAdjointInput& input,
                          const RunContext& context, std::vector<double>& sums) {
  const LocalView& view = view_of(device_view);
  const LocalKernels& kernels = local_kernels();
  sums.assign(covariance.parameters, 0.0);
  return sum_chunks(view, kernels.conditional_adjoint_scratch(view, covariance), context, sums,
                    [&](Index first, Index last, double* scratch, double* out) {
                      return kernels.conditional_adjoint(view, covariance, input, first, last, scratch, out);
                    });
}

Index projected_adjoint(void* device_view, const PreparedCovariance& covariance, const ProjectedTerms& terms,
                        const RunContext& context, std::vector<double>& sums) {
  const LocalView& view = view_of(device_view);
  const LocalKernels& kernels = local_kernels();
  sums.assign(covariance.parameters, 0.0);
  return sum_chunks(view, kernels.projected_adjoint_scratch(view, covariance, terms.d_locations != nullptr), context,
                    sums, [&](Index first, Index last, double* scratch, double* out) {
                      return kernels.projected_adjoint(view, covariance, terms, first, last, scratch, out);
                    });
}

constexpr Backend cpu{backend_abi_version, "cpu",     open,
                      set_values,          set_batch, close,
                      conditional_sums,    conditional_gradient, joint_sums,
                      conditional_weights, conditional_adjoint,  projected_adjoint};

}  // namespace

const Backend& cpu_backend() { return cpu; }

}  // namespace neargp
