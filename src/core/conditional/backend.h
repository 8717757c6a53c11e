// The device interface: the functions that a device must offer for the local computations to run on it. The CPU fills
// the struct (cpu_backend.cpp), and a module for another device fills one of its own. Methods use devices only through
// this struct.
//
// Arrays go to the device once, when a view is opened. An evaluation then sends a prepared covariance and gets sums
// back. Functions report trouble by throwing an Error.
#pragma once

#include <utility>
#include <vector>

#include "base/run_context.h"
#include "conditional/operations.h"
#include "conditional/view.h"
#include "covariance/prepared.h"

namespace neargp {

// Raised whenever the struct or a type that its functions take changes: a module built
// against another version must not be used.
inline constexpr int backend_abi_version = 12;

// Runs an operation on all targets of a view. Returns the smallest target whose covariance matrix could not be
// factorised, or -1. The results are in `sums` and in the operation's arrays. If the RunContext asks for single
// precision, a device uses it for the matrices of VecchiaSums, ConditionalGradient and JointSums, the operations in the
// steps of an optimiser. Everything else is in double precision.
template <class Operation>
struct BackendFunction {
  Index (*run)(void* device_view, const PreparedCovariance&, const Operation&, const RunContext&,
               std::vector<double>& sums);
};

struct Backend {
  int abi_version;
  const char* name;

  // A view on the device. The arrays of `view` outlive it.
  void* (*open)(const LocalView& view);
  // The same points and conditioning sets with other values (and number of columns).
  void (*set_values)(void* device_view, const LocalView& view);
  // Selects those of the view's targets that view.chosen names, and sends the data that changed. Data that these
  // targets do not need may stay out of date. The arrays keep their sizes.
  void (*set_batch)(void* device_view, const LocalView& view, const ChangedData& changed);
  void (*close)(void* device_view);

  OperationTable<BackendFunction> operations;
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
  DeviceView(DeviceView&& other) noexcept : backend_(other.backend_), handle_(std::exchange(other.handle_, nullptr)) {}
  DeviceView(const DeviceView&) = delete;
  DeviceView& operator=(const DeviceView&) = delete;
  DeviceView& operator=(DeviceView&&) = delete;
  ~DeviceView() {
    if (handle_) backend_->close(handle_);
  }

  bool is_cpu() const { return backend_ == &cpu_backend(); }
  void set_values(const LocalView& view) { backend_->set_values(handle_, view); }
  void set_batch(const LocalView& view, const ChangedData& changed) { backend_->set_batch(handle_, view, changed); }

  template <class Operation>
  TargetSums run(const Operation& operation, const PreparedCovariance& covariance, const RunContext& context) const {
    const BackendFunction<Operation>& function = backend_->operations;
    TargetSums result;
    result.failed = function.run(handle_, covariance, operation, context, result.sums);
    return result;
  }

 private:
  const Backend* backend_;
  void* handle_;
};

}  // namespace neargp
