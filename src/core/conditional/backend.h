// The device interface: what a machine must offer for the local computations to run on
// it. The CPU fills the struct (cpu_backend.cpp); a module for another device fills one
// of its own. Methods know nothing else of devices.
//
// Arrays go to the device once, when a view is opened; an evaluation then sends a
// prepared covariance and gets sums back. Functions report trouble by throwing an Error.
#pragma once

#include <utility>
#include <vector>

#include "base/run_context.h"
#include "conditional/conditional_output.h"
#include "conditional/view.h"
#include "covariance/prepared.h"

namespace neargp {

// Raised whenever the struct or a type that its functions take changes: a module built
// against another version must not be used.
inline constexpr int backend_abi_version = 8;

// Every function that computes returns the smallest target whose covariance matrix could
// not be factorised, or -1, and leaves its results in `sums` or `out`; the sums, their
// order and number are those of the kernels in local/ (LocalKernels). In the first three, which the steps of an optimiser
// take, a device has its matrices in single precision where the RunContext asks for it; everything else is in double.
struct Backend {
  int abi_version;
  const char* name;

  // A view on the device. The arrays of `view` outlive it.
  void* (*open)(const LocalView& view);
  // The same points and conditioning sets with other values (and number of columns).
  void (*set_values)(void* device_view, const LocalView& view);
  // Some of the targets that the view was opened with, those that view.chosen names, and data that changed. Data that the
  // targets do not need may be as they were; arrays have the sizes that they had.
  void (*set_batch)(void* device_view, const LocalView& view, const ChangedData& changed);
  void (*close)(void* device_view);

  Index (*conditional_sums)(void* device_view, const PreparedCovariance&, bool information, const RunContext&,
                            std::vector<double>& sums);
  Index (*conditional_gradient)(void* device_view, const PreparedCovariance&, const RunContext&,
                                std::vector<double>& sums);
  Index (*joint_sums)(void* device_view, const PreparedCovariance&, bool gradient, const RunContext&,
                      std::vector<double>& sums);
  Index (*conditional_weights)(void* device_view, const PreparedCovariance&, bool local_mean, const RunContext&,
                               const ConditionalWeightsOutput& out);
  Index (*conditional_adjoint)(void* device_view, const PreparedCovariance&, const ConditionalAdjointInput& input,
                               const RunContext&, std::vector<double>& sums);
  Index (*projected_adjoint)(void* device_view, const PreparedCovariance&, const ProjectedTerms& terms,
                             const RunContext&, std::vector<double>& sums);
};

const Backend& cpu_backend();

// The device that a computation is to run on.
inline const Backend& backend_of(const RunContext& context) {
  return context.backend ? *context.backend : cpu_backend();
}

// Sums over targets, and the smallest target that failed or -1.
struct TargetSums {
  std::vector<double> sums;
  Index failed = -1;
};

// A view on a device, closed with the object.
class DeviceView {
 public:
  DeviceView(const Backend& backend, const LocalView& view) : backend_(&backend), handle_(backend.open(view)) {}
  DeviceView(DeviceView&& other) noexcept
      : backend_(other.backend_), handle_(std::exchange(other.handle_, nullptr)) {}
  DeviceView(const DeviceView&) = delete;
  DeviceView& operator=(const DeviceView&) = delete;
  DeviceView& operator=(DeviceView&&) = delete;
  ~DeviceView() {
    if (handle_) backend_->close(handle_);
  }

  void set_values(const LocalView& view) { backend_->set_values(handle_, view); }
  void set_batch(const LocalView& view, const ChangedData& changed) { backend_->set_batch(handle_, view, changed); }

  TargetSums conditional_sums(const PreparedCovariance& covariance, bool information,
                              const RunContext& context) const {
    TargetSums result;
    result.failed = backend_->conditional_sums(handle_, covariance, information, context, result.sums);
    return result;
  }
  TargetSums conditional_gradient(const PreparedCovariance& covariance, const RunContext& context) const {
    TargetSums result;
    result.failed = backend_->conditional_gradient(handle_, covariance, context, result.sums);
    return result;
  }
  TargetSums joint_sums(const PreparedCovariance& covariance, bool gradient, const RunContext& context) const {
    TargetSums result;
    result.failed = backend_->joint_sums(handle_, covariance, gradient, context, result.sums);
    return result;
  }
  Index conditional_weights(const PreparedCovariance& covariance, bool local_mean, const RunContext& context,
                            const ConditionalWeightsOutput& out) const {
    return backend_->conditional_weights(handle_, covariance, local_mean, context, out);
  }

  TargetSums conditional_adjoint(const PreparedCovariance& covariance, const ConditionalAdjointInput& input,
                                 const RunContext& context) const {
    TargetSums result;
    result.failed = backend_->conditional_adjoint(handle_, covariance, input, context, result.sums);
    return result;
  }
  TargetSums projected_adjoint(const PreparedCovariance& covariance, const ProjectedTerms& terms,
                               const RunContext& context) const {
    TargetSums result;
    result.failed = backend_->projected_adjoint(handle_, covariance, terms, context, result.sums);
    return result;
  }

 private:
  const Backend* backend_;
  void* handle_;
};

}  // namespace neargp
