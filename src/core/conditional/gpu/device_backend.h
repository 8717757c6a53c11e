// The table of functions of conditional/backend.h for a device with teams. For Device see
// conditional/gpu/device_array.h.
#pragma once

#include <algorithm>
#include <memory>
#include <string>

#include "base/error.h"
#include "conditional/backend.h"
#include "conditional/gpu/chunk_arrays.h"
#include "conditional/gpu/conditional_adjoint.h"
#include "conditional/gpu/conditional_gradient.h"
#include "conditional/gpu/conditional_weights.h"
#include "conditional/gpu/evaluation.h"
#include "conditional/gpu/joint_sums.h"
#include "conditional/gpu/plain_covariance.h"
#include "conditional/gpu/projected_adjoint.h"
#include "conditional/gpu/uploaded_covariance.h"
#include "conditional/gpu/vecchia_sums.h"
#include "parallel/parallel_for.h"

namespace neargp {

template <class Device>
class DeviceBackend {
 public:
  static constexpr Backend table(const char* name) {
    return {backend_abi_version,
            name,
            open,
            set_values,
            set_batch,
            close,
            OperationTable<BackendFunction>::template from<DeviceBackend>()};
  }

  template <class Operation>
  static constexpr BackendFunction<Operation> entry() {
    return {run};
  }

 private:
  // A view and the device on which it lies; computations may come from another thread than the one that opened it.
  struct OpenView {
    typename Device::Place place;
    ViewOnDevice<Device> view;

    explicit OpenView(const LocalView& host) : place(Device::current()), view(host) {}
  };

  // Places in each array of a team's memory are counted in int.
  static constexpr int most_neighbors = 30000;

  static void* open(const LocalView& view) {
    if (view.k > most_neighbors)
      throw Error("On a GPU a conditioning set has at most " + std::to_string(most_neighbors) + " members, not " +
                  std::to_string(view.k) + ".");
    Device::use(Device::current());
    return new OpenView(view);
  }

  static void set_values(void* device_view, const LocalView& view) { on_device(device_view).set_values(view); }

  static void set_batch(void* device_view, const LocalView& view, const ChangedData& changed) {
    on_device(device_view).set_batch(view, changed);
  }

  static void close(void* device_view) {
    const std::unique_ptr<OpenView> closing(static_cast<OpenView*>(device_view));
    Device::use_to_release(closing->place);
  }

  static ViewOnDevice<Device>& on_device(void* device_view) {
    OpenView& open = *static_cast<OpenView*>(device_view);
    Device::use(open.place);
    return open.view;
  }

  // Sums over targets of a task that takes nothing but views and covariances, with matrices of doubles or floats.
  template <template <class> class Task>
  static Index sum(void* device_view, const PreparedCovariance& covariance, const RunContext& context,
                   std::vector<double>& sums) {
    return context.single_precision ? sum<Task<float>, float>(device_view, covariance, context, sums)
                                    : sum<Task<double>, double>(device_view, covariance, context, sums);
  }

  template <class Task, class Real>
  static Index sum(void* device_view, const PreparedCovariance& covariance, const RunContext& context,
                   std::vector<double>& sums) {
    ViewOnDevice<Device>& view = on_device(device_view);
    const UploadedCovariance<Device, Real> uploaded(covariance);
    Evaluation<Device> evaluation(view, Task{view.host(), uploaded.on_host()}, 0, context);
    evaluation.for_each_chunk([&](const LocalView& chunk, Index first, Index count) {
      evaluation.launch(Task{chunk, uploaded.on_device()}, first, count);
    });
    sums = evaluation.sums();
    return evaluation.first_failed();
  }

  template <class Real>
  using SumsOfValues = TeamVecchiaSums<false, Real>;
  template <class Real>
  using SumsOfDerivatives = TeamVecchiaSums<true, Real>;
  template <class Real>
  using JointValues = TeamJointSums<false, Real>;
  template <class Real>
  using JointGradient = TeamJointSums<true, Real>;

  // Runs one operation. There is an overload for each operation, and entry() takes the overload of its type.
  static Index run(void* device_view, const PreparedCovariance& covariance, const VecchiaSums& operation,
                   const RunContext& context, std::vector<double>& sums) {
    if (!operation.information) return sum<SumsOfValues>(device_view, covariance, context, sums);
    Index first_failed = -1;
    const bool plain = !context.single_precision && with_plain_correlation(covariance, [&](auto correlation) {
      using Plain = PlainCovariance<double, decltype(correlation)>;
      first_failed = sum<TeamVecchiaSums<true, double, Plain>, double>(device_view, covariance, context, sums);
    });
    return plain ? first_failed : sum<SumsOfDerivatives>(device_view, covariance, context, sums);
  }

  static Index run(void* device_view, const PreparedCovariance& covariance, const ConditionalGradient&,
                   const RunContext& context, std::vector<double>& sums) {
    return sum<TeamConditionalGradient>(device_view, covariance, context, sums);
  }

  static Index run(void* device_view, const PreparedCovariance& covariance, const JointSums& operation,
                   const RunContext& context, std::vector<double>& sums) {
    return operation.gradient ? sum<JointGradient>(device_view, covariance, context, sums)
                              : sum<JointValues>(device_view, covariance, context, sums);
  }

  static Index run(void* device_view, const PreparedCovariance& covariance, const ConditionalWeights& operation,
                   const RunContext& context, std::vector<double>& sums) {
    return run_with_arrays<TeamConditionalWeights>(device_view, covariance, operation, context, sums);
  }

  static Index run(void* device_view, const PreparedCovariance& covariance, const ConditionalAdjoint& operation,
                   const RunContext& context, std::vector<double>& sums) {
    return run_with_arrays<TeamConditionalAdjoint>(device_view, covariance, operation, context, sums);
  }

  // A task of view, covariance and an operation with arrays over the targets.
  template <class Task, class Operation>
  static Index run_with_arrays(void* device_view, const PreparedCovariance& covariance, const Operation& operation,
                               const RunContext& context, std::vector<double>& sums) {
    ViewOnDevice<Device>& view = on_device(device_view);
    const UploadedCovariance<Device> uploaded(covariance);
    ChunkArrays<Device, Operation> arrays(operation, view.host());
    Evaluation<Device> evaluation(view, Task{view.host(), uploaded.on_host(), operation}, arrays.bytes_per_target(),
                                  context);
    evaluation.for_each_chunk([&](const LocalView& chunk, Index first, Index count) {
      evaluation.launch(Task{chunk, uploaded.on_device(), arrays.upload(first, count)}, first, count);
      Device::synchronize();
      arrays.download(first, count);
    });
    sums = evaluation.sums();
    return evaluation.first_failed();
  }

  static Index run(void* device_view, const PreparedCovariance& covariance, const ProjectedAdjoint& operation,
                   const RunContext& context, std::vector<double>& sums) {
    ViewOnDevice<Device>& view = on_device(device_view);
    const UploadedCovariance<Device> uploaded(covariance);
    ChunkArrays<Device, ProjectedMoments> moments(operation, view.host());
    ChunkArrays<Device, ProjectedDerivatives> derivatives(operation, view.host());
    DeviceArray<Device, double> factors;
    const Index factor_size = TeamTriangle<double>::size(view.host().k);
    Evaluation<Device> evaluation(
        view, TeamProjectedAdjoint{view.host(), uploaded.on_host(), operation, operation, nullptr},
        moments.bytes_per_target() + derivatives.bytes_per_target() + factor_size * Index(sizeof(double)), context);
    evaluation.for_each_chunk([&](const LocalView& chunk, Index first, Index count) {
      const ProjectedMoments found = moments.upload(first, count);
      factors.reserve(count * factor_size);
      evaluation.launch(TeamProjectedMoments{chunk, uploaded.on_device(), found, factors.data()}, first, count);
      Device::synchronize();
      moments.download(first, count);
      differentiate(operation, first, count, context);
      const ProjectedDerivatives given = derivatives.upload(first, count);
      evaluation.launch(TeamProjectedAdjoint{chunk, uploaded.on_device(), found, given, factors.data()}, first, count);
      Device::synchronize();
      derivatives.download(first, count);
    });
    sums = evaluation.sums();
    return evaluation.first_failed();
  }

  // Differentiates on the host, by all its threads. Progress is that of chunks.
  static void differentiate(const ProjectedAdjoint& host, Index first, Index count, RunContext context) {
    constexpr Index part = 256;
    context.progress = nullptr;
    parallel_for(context, (count + part - 1) / part, [&](Index p) {
      host.differentiate(host.context, first + p * part, first + std::min(count, (p + 1) * part));
    });
  }
};

}  // namespace neargp
