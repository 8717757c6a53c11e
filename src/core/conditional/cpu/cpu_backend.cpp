// The CPU as a device: a view is itself, and kernels run over chunks of targets.
#include "conditional/backend.h"
#include "conditional/cpu/kernels.h"
#include "conditional/sum_chunks.h"

namespace neargp {

namespace {

void* open(const LocalView& view) { return new LocalView(view); }

void set_values(void* device_view, const LocalView& view) { *static_cast<LocalView*>(device_view) = view; }

void set_batch(void* device_view, const LocalView& view, const ChangedData&) { set_values(device_view, view); }

void close(void* device_view) { delete static_cast<LocalView*>(device_view); }

template <class Operation>
Index run(void* device_view, const PreparedCovariance& covariance, const Operation& operation,
          const RunContext& context, std::vector<double>& sums) {
  const LocalView& view = *static_cast<LocalView*>(device_view);
  const KernelFunctions<Operation>& kernel = local_kernels();
  sums.assign(operation.sums(view.columns, covariance.parameters), 0.0);
  return sum_chunks(view, kernel.scratch_doubles(view, covariance, operation), context, sums,
                    [&](Index first, Index last, double* scratch, double* out) {
                      return kernel.run(view, covariance, operation, first, last, scratch, out);
                    });
}

struct Functions {
  template <class Operation>
  static constexpr BackendFunction<Operation> entry() {
    return {run<Operation>};
  }
};

constexpr Backend cpu{
    backend_abi_version, "cpu", open, set_values, set_batch, close, OperationTable<BackendFunction>::from<Functions>()};

}  // namespace

const Backend& cpu_backend() { return cpu; }

}  // namespace neargp
