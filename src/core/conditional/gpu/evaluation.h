// One computation over all targets of a view on a device, chunk after chunk. Each team computes sums of its own. At the
// end they are added up on the device, in the order of the teams.
#pragma once

#include <vector>

#include "base/run_context.h"
#include "conditional/gpu/covariance.h"
#include "conditional/gpu/device_view.h"
#include "conditional/gpu/launch.h"

namespace neargp {

// Adds the teams' sums. Target s is the sum total[s] over all teams.
struct AddTeamSums {
  const double* sums;
  double* total;
  Index teams;
  Index count;

  NEARGP_HD int outputs() const { return 0; }

  template <class Team>
  class Work {
   public:
    NEARGP_HD Work(const AddTeamSums& task, const Team& team, TeamArena&) : task_(task), team_(team) {}

    NEARGP_HD bool add(Index s, double weight, double*) {
      double sum = 0.0;
      for (Index t = team_.rank(); t < task_.teams; t += team_.size()) sum += task_.sums[t * task_.count + s];
      sum = team_.sum(sum);
      if (team_.rank() == 0 && weight > 0.0) task_.total[s] = sum;
      return true;
    }

   private:
    const AddTeamSums& task_;
    const Team& team_;
  };
};

template <class Device>
class Evaluation {
 public:
  // `shape` is the task with the view and covariance of the host. The tasks of all chunks need the same memory and
  // outputs.
  template <class Task>
  Evaluation(ViewOnDevice<Device>& view, const Task& shape, Index bytes_per_target, const RunContext& context)
      : view_(view), context_(context), outputs_(shape.outputs()) {
    const Index targets = view.host().targets;
    const LaunchDemand demand{view.host().k + 1, team_memory(shape), outputs_, targets};
    plan_ = plan_launch(Device::limits(), demand, Device::free_bytes());
    sums_.fill(0, plan_.teams() * outputs_);
    failed_.fill(0xff, plan_.teams());
    // The factorisation also reads and writes above the diagonal, where nothing was stored. Fills it before the first
    // read.
    if (!plan_.in_shared) memory_.fill(0xff, plan_.teams() * plan_.team_bytes);
    chunk_ =
        chunk_targets(demand, plan_.teams(), Device::free_bytes(), view.streamed_bytes_per_target() + bytes_per_target);
  }

  Index chunk() const { return chunk_; }

  // body(view, first, count) for each chunk, to launch() tasks and copy results.
  template <class Body>
  void for_each_chunk(const Body& body) {
    const Index targets = view_.host().targets;
    for (Index first = 0; first < targets; first += chunk_) {
      const Index count = std::min(chunk_, targets - first);
      body(view_.chunk(first, count), first, count);
      Device::synchronize();
      if (context_.check_interrupt) context_.check_interrupt();
      if (context_.progress) context_.progress(double(first + count) / double(targets));
    }
  }

  template <class Task>
  void launch(const Task& task, Index first, Index count) {
    Device::launch(task, TargetRange{first, count, plan_.teams()}, plan_,
                   LaunchMemory{sums_.data(), memory_.data(), failed_.data()});
  }

  std::vector<double> sums() {
    std::vector<double> sums(outputs_);
    if (outputs_ == 0) return sums;
    total_.reserve(outputs_);
    run_plain<Device>(AddTeamSums{sums_.data(), total_.data(), plan_.teams(), outputs_}, outputs_);
    total_.download(sums.data(), outputs_);
    return sums;
  }

  Index first_failed() const {
    std::vector<Index> failed(plan_.teams());
    failed_.download(failed.data(), plan_.teams());
    Index first = -1;
    for (const Index target : failed)
      if (target >= 0 && (first < 0 || target < first)) first = target;
    return first;
  }

 private:
  ViewOnDevice<Device>& view_;
  const RunContext& context_;
  Index outputs_;
  LaunchPlan plan_;
  Index chunk_;
  DeviceArray<Device, double> sums_, total_;
  DeviceArray<Device, unsigned char> memory_;
  DeviceArray<Device, Index> failed_;
};

}  // namespace neargp
