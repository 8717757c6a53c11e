// Ordered neighbours on a device: CurveEngine::search_earlier (geometry/neighbor_engine.h). Each stretch of ranks
// searches a tree of the points up to its end, as geometry/stretches.h explains.
#pragma once

#include <numeric>

#include "base/unset_vector.h"
#include "conditional/gpu/device_box_tree.h"
#include "conditional/gpu/nearest_earlier.h"
#include "geometry/neighbor_engine.h"
#include "geometry/stretches.h"

namespace neargp {

template <class Device>
class DeviceEarlier {
 public:
  static void run(const EarlierRequest& request, const RunContext& context) {
    if (request.k == 0) return;
    Device::use(Device::current());
    DeviceEarlier(request, context).search();
  }

  // The memory of a row: coordinates, rank, row and position, its neighbours, and its share of boxes.
  static double bytes_per_row(int dim, int k) { return 8.0 * dim + 12.0 + 4.0 * k + 0.6 * dim; }

 private:
  DeviceEarlier(const EarlierRequest& request, const RunContext& context) : request_(request), context_(context) {
    context_.progress = nullptr;
    const Index n = request.points.n;
    UnsetVector<int> rank_of_row(n);
    rank_.resize(n);
    parallel_ranges(context_, n, light_range, [&](Index first, Index last, Index) {
      for (Index rank = first; rank < last; ++rank) rank_of_row[request.order[rank]] = int(rank);
    });
    parallel_ranges(context_, n, light_range, [&](Index first, Index last, Index) {
      for (Index i = first; i < last; ++i) rank_[i] = rank_of_row[request.along_curve[i]];
    });
    x_on_device_.upload(gather_along_curve(request.points, request.along_curve, context_).data(),
                        n * request.points.dim);
    rank_on_device_.upload(rank_.data(), n);
    row_.upload(request.along_curve, n);
  }

  void search() {
    const Index n = request_.points.n, answers = (n - request_.first_row) * request_.k;
    index_.reserve(answers);
    UnsetVector<int> position(n);
    std::iota(position.begin(), position.end(), 0);
    for (Index end = n; end > request_.first_rank;) {
      const Index begin = begin_of_stretch(end, request_.first_rank, request_.k);
      search_stretch(position, begin);
      if (context_.check_interrupt) context_.check_interrupt();
      end = begin;
      if (end > request_.first_rank) position = items_before(position, rank_, end, context_);
    }
    index_.download(request_.index, answers);
  }

  void search_stretch(const UnsetVector<int>& position, Index begin) {
    const Index n = request_.points.n, size = Index(position.size());
    position_.upload(position.data(), size);
    const CurvePoints points{x_on_device_.data(), position_.data(), n, size, request_.points.dim};
    tree_.build(points, TeamEarlier::leaf_size, launches_);
    launches_.run(TeamEarlier{tree_.shape(), points, tree_.boxes(), rank_on_device_.data(), row_.data(), int(begin),
                              request_.k, request_.first_row, index_.data()},
                  size);
    Device::synchronize();
  }

  const EarlierRequest& request_;
  RunContext context_;
  UnsetVector<int> rank_;  // along the curve
  WarpLaunches<Device> launches_;
  DeviceArray<Device, double> x_on_device_;
  DeviceArray<Device, int> rank_on_device_, row_, position_, index_;
  DeviceBoxTree<Device> tree_;
};

}  // namespace neargp
