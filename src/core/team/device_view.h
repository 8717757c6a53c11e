// A LocalView on a device. Data are copied when it is opened. So are targets and their conditioning sets if they take
// no more than half of the memory that is then free; otherwise each computation copies them a chunk at a time.
#pragma once

#include <algorithm>

#include "base/error.h"
#include "local/view.h"
#include "team/device_array.h"

namespace neargp {

template <class Device>
class TargetArrays {
 public:
  static Index bytes_per_target(const LocalView& view) {
    const Index numbers = view.dim + (view.target_values ? view.columns : 0) + (view.target_noise_scale ? 1 : 0);
    return Index(sizeof(double)) * numbers + Index(sizeof(int)) * (view.k + (view.target_outputs ? 1 : 0));
  }

  // The targets first .. first + count - 1 of a view of the host.
  void upload(const LocalView& view, Index first, Index count) {
    coords_.upload(view.target_coords + first * view.dim, count * view.dim);
    neighbors_.upload(view.neighbors + first * view.k, count * view.k);
    if (view.target_noise_scale) noise_scale_.upload(view.target_noise_scale + first, count);
    if (view.target_outputs) outputs_.upload(view.target_outputs + first, count);
    upload_values(view, first, count);
  }

  void upload_values(const LocalView& view, Index first, Index count) {
    if (view.target_values) values_.upload(view.target_values + first * view.columns, count * view.columns);
  }

  // Points `on_device`, otherwise filled, to the arrays from the target `first` of them on.
  void attach(const LocalView& view, Index first, LocalView& on_device) const {
    on_device.target_coords = coords_.data() + first * view.dim;
    on_device.neighbors = neighbors_.data() + first * view.k;
    on_device.target_values = view.target_values ? values_.data() + first * view.columns : nullptr;
    on_device.target_noise_scale = view.target_noise_scale ? noise_scale_.data() + first : nullptr;
    on_device.target_outputs = view.target_outputs ? outputs_.data() + first : nullptr;
  }

 private:
  DeviceArray<Device, double> coords_, values_, noise_scale_;
  DeviceArray<Device, int> neighbors_, outputs_;
};

template <class Device>
class ViewOnDevice {
 public:
  explicit ViewOnDevice(const LocalView& view) : host_(view), data_(rows_referred_to(view)) {
    coords_.upload(view.coords, data_ * view.dim);
    values_.upload(view.values, data_ * view.columns);
    if (view.noise_scale) noise_scale_.upload(view.noise_scale, data_);
    if (view.outputs) outputs_.upload(view.outputs, data_);
    resident_ = double(view.targets) * double(bytes_per_target()) <= 0.5 * double(Device::free_bytes());
    if (resident_) targets_.upload(view, 0, view.targets);
  }

  const LocalView& host() const { return host_; }

  // What a chunk needs of the device's memory for each of its targets.
  Index streamed_bytes_per_target() const { return resident_ ? 0 : bytes_per_target(); }

  void set_values(const LocalView& view) {
    host_ = view;
    values_.upload(view.values, data_ * view.columns);
    if (resident_) targets_.upload_values(view, 0, view.targets);
  }

  // The targets first .. first + count - 1 as a view whose arrays are on the device; valid until the next call.
  LocalView chunk(Index first, Index count) {
    LocalView view = host_;
    view.coords = coords_.data();
    view.values = values_.data();
    view.noise_scale = host_.noise_scale ? noise_scale_.data() : nullptr;
    view.outputs = host_.outputs ? outputs_.data() : nullptr;
    view.targets = count;
    if (!resident_) targets_.upload(host_, first, count);
    targets_.attach(host_, resident_ ? first : 0, view);
    return view;
  }

 private:
  Index bytes_per_target() const { return TargetArrays<Device>::bytes_per_target(host_); }

  // A view does not say how many data there are: those that no target refers to are not needed.
  static Index rows_referred_to(const LocalView& view) {
    int last = -1;
    for (Index e = 0; e < view.targets * view.k; ++e) last = std::max(last, view.neighbors[e]);
    return Index(last) + 1;
  }

  LocalView host_;
  Index data_;
  bool resident_;
  DeviceArray<Device, double> coords_, values_, noise_scale_;
  DeviceArray<Device, int> outputs_;
  TargetArrays<Device> targets_;
};

}  // namespace neargp
