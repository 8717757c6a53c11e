// The table of functions of conditional/backend.h for a device with teams (conditional/gpu/device_array.h says what Device is).
#pragma once

#include <algorithm>
#include <memory>
#include <string>

#include "base/error.h"
#include "conditional/backend.h"
#include "conditional/gpu/conditional_adjoint.h"
#include "conditional/gpu/conditional_gradient.h"
#include "conditional/gpu/conditional_sums.h"
#include "conditional/gpu/conditional_weights.h"
#include "conditional/gpu/evaluation.h"
#include "conditional/gpu/joint_sums.h"
#include "conditional/gpu/plain_covariance.h"
#include "conditional/gpu/projected_adjoint.h"
#include "parallel/parallel_for.h"

namespace neargp {

template <class Device>
class DeviceBackend {
 public:
  static constexpr Backend table(const char* name) {
    return {backend_abi_version, name,      open,
            set_values,          set_batch, close,
            conditional_sums,    conditional_gradient, joint_sums,
            conditional_weights, conditional_adjoint,  projected_adjoint};
  }

 private:
  // A view and the device on which it lies; computations may come from another thread than the one that opened it.
  struct OpenView {
    typename Device::Place place;
    ViewOnDevice<Device> view;

    explicit OpenView(const LocalView& host) : place(Device::current()), view(host) {}
  };

  using Array = DeviceArray<Device, double>;

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

  // The covariance on the device, for one computation.
  template <class Real = double>
  class UploadedCovariance {
   public:
    explicit UploadedCovariance(const PreparedCovariance& covariance) : packed_(covariance) {
      memory_.reserve(Index(packed_.bytes()));
      memory_.upload(packed_.memory_for(memory_.data()), Index(packed_.bytes()));
    }
    TeamCovariance<Real> on_device() const { return packed_.at(memory_.data()); }

    // The same with addresses of the host, by which memory is counted.
    TeamCovariance<Real> on_host() const { return packed_.at(packed_.memory()); }

   private:
    PackedCovariance<Real> packed_;
    DeviceArray<Device, unsigned char> memory_;
  };

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
    const UploadedCovariance<Real> uploaded(covariance);
    Evaluation<Device> evaluation(view, Task{view.host(), uploaded.on_host()}, 0, context);
    evaluation.for_each_chunk([&](const LocalView& chunk, Index first, Index count) {
      evaluation.launch(Task{chunk, uploaded.on_device()}, first, count);
    });
    sums = evaluation.sums();
    return evaluation.first_failed();
  }

  template <class Real>
  using SumsOfValues = TeamConditionalSums<false, Real>;
  template <class Real>
  using SumsOfDerivatives = TeamConditionalSums<true, Real>;
  template <class Real>
  using JointValues = TeamJointSums<false, Real>;
  template <class Real>
  using JointGradient = TeamJointSums<true, Real>;

  static Index conditional_sums(void* device_view, const PreparedCovariance& covariance, bool information,
                                const RunContext& context, std::vector<double>& sums) {
    if (!information) return sum<SumsOfValues>(device_view, covariance, context, sums);
    Index first_failed = -1;
    const bool plain = !context.single_precision && with_plain_correlation(covariance, [&](auto correlation) {
      using Plain = PlainCovariance<double, decltype(correlation)>;
      first_failed = sum<TeamConditionalSums<true, double, Plain>, double>(device_view, covariance, context, sums);
    });
    return plain ? first_failed : sum<SumsOfDerivatives>(device_view, covariance, context, sums);
  }

  static Index conditional_gradient(void* device_view, const PreparedCovariance& covariance,
                                    const RunContext& context, std::vector<double>& sums) {
    return sum<TeamConditionalGradient>(device_view, covariance, context, sums);
  }

  static Index joint_sums(void* device_view, const PreparedCovariance& covariance, bool gradient,
                          const RunContext& context, std::vector<double>& sums) {
    return gradient ? sum<JointGradient>(device_view, covariance, context, sums)
                    : sum<JointValues>(device_view, covariance, context, sums);
  }

  static Index conditional_weights(void* device_view, const PreparedCovariance& covariance, bool local_mean,
                                   const RunContext& context, const ConditionalWeightsOutput& out) {
    ViewOnDevice<Device>& view = on_device(device_view);
    const Index columns = view.host().columns, k = view.host().k;
    const UploadedCovariance<> uploaded(covariance);
    TeamConditionalWeights task{view.host(), uploaded.on_host(), local_mean, {}};
    const Index numbers = columns + 1 + (out.weights ? k : 0);
    Evaluation<Device> evaluation(view, task, numbers * Index(sizeof(double)), context);
    task.covariance = uploaded.on_device();
    Array weighted, variance, weights;
    evaluation.for_each_chunk([&](const LocalView& chunk, Index first, Index count) {
      weighted.reserve(count * columns);
      variance.reserve(count);
      if (out.weights) weights.reserve(count * k);
      task.view = chunk;
      task.out = {weighted.data(), variance.data(), weights.data()};
      evaluation.launch(task, first, count);
      Device::synchronise();
      weighted.download(out.weighted + first * columns, count * columns);
      variance.download(out.variance + first, count);
      if (out.weights) weights.download(out.weights + first * k, count * k);
    });
    return evaluation.first_failed();
  }

  static Index conditional_adjoint(void* device_view, const PreparedCovariance& covariance,
                                   const ConditionalAdjointInput& input, const RunContext& context,
                                   std::vector<double>& sums) {
    ViewOnDevice<Device>& view = on_device(device_view);
    const Index k = view.host().k, columns = view.host().columns;
    const UploadedCovariance<> uploaded(covariance);
    TeamConditionalAdjoint task{view.host(), uploaded.on_host(), {}};
    const Index numbers = (input.weighted ? columns : k) + 1 + (input.noise ? k : 0);
    Evaluation<Device> evaluation(view, task, numbers * Index(sizeof(double)), context);
    task.covariance = uploaded.on_device();
    Array weights, weighted, variance, noise;
    evaluation.for_each_chunk([&](const LocalView& chunk, Index first, Index count) {
      if (input.weighted)
        weighted.upload(input.weighted + first * columns, count * columns);
      else
        weights.upload(input.weights + first * k, count * k);
      variance.upload(input.variance + first, count);
      if (input.noise) noise.reserve(count * k);
      task.view = chunk;
      task.input = {weights.data(), variance.data(), noise.data(), weighted.data()};
      evaluation.launch(task, first, count);
      Device::synchronise();
      if (input.noise) noise.download(input.noise + first * k, count * k);
    });
    sums = evaluation.sums();
    return evaluation.first_failed();
  }

  // The terms of a chunk's targets on the device.
  struct TermArrays {
    Array mean, spread, variance, weights, d_mean, d_spread, d_variance, d_locations;

    ProjectedTerms reserve(const ProjectedTerms& host, Index count, Index k, Index dim) {
      for (Array* array : {&mean, &spread, &variance, &d_mean, &d_spread, &d_variance}) array->reserve(count);
      weights.reserve(count * k);
      if (host.d_locations) d_locations.reserve(count * (k + 1) * dim);
      ProjectedTerms terms;
      terms.mean = mean.data();
      terms.spread = spread.data();
      terms.variance = variance.data();
      terms.weights = weights.data();
      terms.d_locations = d_locations.data();
      terms.d_mean = d_mean.data();
      terms.d_spread = d_spread.data();
      terms.d_variance = d_variance.data();
      return terms;
    }

    void download_moments(const ProjectedTerms& host, Index first, Index count, Index k) const {
      mean.download(host.mean + first, count);
      spread.download(host.spread + first, count);
      variance.download(host.variance + first, count);
      weights.download(host.weights + first * k, count * k);
    }

    void upload_derivatives(const ProjectedTerms& host, Index first, Index count) {
      d_mean.upload(host.d_mean + first, count);
      d_spread.upload(host.d_spread + first, count);
      d_variance.upload(host.d_variance + first, count);
    }
  };

  static Index projected_adjoint(void* device_view, const PreparedCovariance& covariance, const ProjectedTerms& host,
                                 const RunContext& context, std::vector<double>& sums) {
    ViewOnDevice<Device>& view = on_device(device_view);
    const Index k = view.host().k, dim = view.host().dim;
    const UploadedCovariance<> uploaded(covariance);
    const Index factor_size = TeamTriangle<double>::size(int(k));
    const Index numbers = 6 + k + factor_size + (host.d_locations ? (k + 1) * dim : 0);
    Evaluation<Device> evaluation(view, TeamProjectedAdjoint{view.host(), uploaded.on_host(), {}, nullptr},
                                  numbers * Index(sizeof(double)), context);
    TermArrays arrays;
    Array factors;
    evaluation.for_each_chunk([&](const LocalView& chunk, Index first, Index count) {
      const ProjectedTerms terms = arrays.reserve(host, count, k, dim);
      factors.reserve(count * factor_size);
      evaluation.launch(TeamProjectedMoments{chunk, uploaded.on_device(), terms, factors.data()}, first, count);
      Device::synchronise();
      arrays.download_moments(host, first, count, k);
      differentiate(host, first, count, context);
      arrays.upload_derivatives(host, first, count);
      evaluation.launch(TeamProjectedAdjoint{chunk, uploaded.on_device(), terms, factors.data()}, first, count);
      Device::synchronise();
      if (host.d_locations)
        arrays.d_locations.download(host.d_locations + first * (k + 1) * dim, count * (k + 1) * dim);
    });
    sums = evaluation.sums();
    return evaluation.first_failed();
  }

  // On the host, by all its threads. Progress is that of chunks.
  static void differentiate(const ProjectedTerms& host, Index first, Index count, RunContext context) {
    constexpr Index part = 256;
    context.progress = nullptr;
    parallel_for(context, (count + part - 1) / part, [&](Index p) {
      host.differentiate(host.context, first + p * part, first + std::min(count, (p + 1) * part));
    });
  }
};

}  // namespace neargp
