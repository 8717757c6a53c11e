// A LocalView on a device. Data are copied when it is opened. Targets and their conditioning sets are also copied then,
// if they take no more than half of the memory that is still free. Otherwise each computation copies them a chunk at a
// time.
#pragma once

#include <algorithm>
#include <vector>

#include "base/error.h"
#include "conditional/gpu/device_array.h"
#include "conditional/gpu/scatter_rows.h"
#include "conditional/view.h"

namespace neargp {

inline bool targets_are_data(const LocalView& view) { return view.target_coords == view.coords; }

// The targets of a view. If they are the data themselves, and all are on the device, they share the arrays of the data.
template <class Device>
class TargetArrays {
 public:
  Index bytes_per_target(const LocalView& view) const {
    const Index numbers = (copies(view, view.target_coords, view.coords) ? view.dim : 0) +
                          (copies(view, view.target_values, view.values) ? view.columns : 0) +
                          (copies(view, view.target_noise_scale, view.noise_scale) ? 1 : 0);
    const Index integers = view.k + (copies(view, view.target_outputs, view.outputs) ? 1 : 0);
    return Index(sizeof(double)) * numbers + Index(sizeof(int)) * integers;
  }

  // Whether all targets are here, which makes bytes_per_target() smaller, or a chunk of them at a time.
  void hold_all(bool all) { all_ = all; }
  bool hold_all() const { return all_; }

  // The targets first .. first + count - 1 of a view of the host.
  void upload(const LocalView& view, Index first, Index count) {
    upload(coords_, view, view.target_coords, view.coords, view.dim, first, count);
    upload(noise_scale_, view, view.target_noise_scale, view.noise_scale, 1, first, count);
    upload(outputs_, view, view.target_outputs, view.outputs, 1, first, count);
    upload_rows(neighbors_, view, view.neighbors, view.k, first, count);
    upload_values(view, first, count);
  }

  void upload_values(const LocalView& view, Index first, Index count) {
    upload(values_, view, view.target_values, view.values, view.columns, first, count);
  }

  // Points the target arrays of `on_device` to the arrays here, from target `first` on. Its data are there already.
  void attach(const LocalView& view, Index first, LocalView& on_device) const {
    on_device.target_coords = at(coords_, view, view.target_coords, view.coords, on_device.coords, first * view.dim);
    on_device.target_values =
        at(values_, view, view.target_values, view.values, on_device.values, first * view.columns);
    on_device.target_noise_scale =
        at(noise_scale_, view, view.target_noise_scale, view.noise_scale, on_device.noise_scale, first);
    on_device.target_outputs = at(outputs_, view, view.target_outputs, view.outputs, on_device.outputs, first);
    on_device.neighbors = neighbors_.data() + first * view.k;
  }

 private:
  template <class T>
  bool copies(const LocalView& view, const T* targets, const T* data) const {
    return targets && !(all_ && targets_are_data(view) && targets == data);
  }

  template <class T>
  void upload(DeviceArray<Device, T>& array, const LocalView& view, const T* targets, const T* data, Index width,
              Index first, Index count) {
    if (copies(view, targets, data)) upload_rows(array, view, targets, width, first, count);
  }

  template <class T>
  static void upload_rows(DeviceArray<Device, T>& array, const LocalView& view, const T* from, Index width, Index first,
                          Index count) {
    if (!view.chosen) return array.upload(from + first * width, count * width);
    std::vector<T> rows(std::size_t(count * width));
    for (Index t = 0; t < count; ++t)
      std::copy_n(from + view.place(first + t) * width, width, rows.begin() + t * width);
    array.upload(rows.data(), count * width);
  }

  template <class T>
  const T* at(const DeviceArray<Device, T>& array, const LocalView& view, const T* targets, const T* data,
              const T* data_on_device, Index offset) const {
    if (!targets) return nullptr;
    return (copies(view, targets, data) ? array.data() : data_on_device) + offset;
  }

  bool all_ = false;
  DeviceArray<Device, double> coords_, values_, noise_scale_;
  DeviceArray<Device, int> neighbors_, outputs_;
};

template <class Device>
class ViewOnDevice {
 public:
  explicit ViewOnDevice(const LocalView& view) : host_(view), data_(rows_needed(view)) {
    coords_.upload(view.coords, data_ * view.dim);
    values_.upload(view.values, data_ * view.columns);
    if (view.noise_scale) noise_scale_.upload(view.noise_scale, data_);
    if (view.outputs) outputs_.upload(view.outputs, data_);
    targets_.hold_all(true);
    targets_.hold_all(double(view.targets) * double(targets_.bytes_per_target(view)) <=
                      0.5 * double(Device::free_bytes()));
    if (targets_.hold_all()) targets_.upload(view, 0, view.targets);
  }

  const LocalView& host() const { return host_; }

  // The device's memory that a chunk needs for each of its targets.
  Index streamed_bytes_per_target() const { return targets_.hold_all() ? 0 : targets_.bytes_per_target(host_); }

  void set_values(const LocalView& view) {
    host_ = view;
    values_.upload(view.values, data_ * view.columns);
    if (targets_.hold_all()) targets_.upload_values(view, 0, view.targets);
  }

  void set_batch(const LocalView& view, const ChangedData& changed) {
    host_ = view;
    if (targets_.hold_all()) chosen_.upload(view.chosen, view.targets);
    renew(values_, view.values, view.columns, changed);
    if (changed.coords) renew(coords_, view.coords, view.dim, changed);
  }

  // The targets first .. first + count - 1 as a view whose arrays are on the device; valid until the next call.
  LocalView chunk(Index first, Index count) {
    LocalView view = host_;
    view.coords = coords_.data();
    view.values = values_.data();
    view.noise_scale = host_.noise_scale ? noise_scale_.data() : nullptr;
    view.outputs = host_.outputs ? outputs_.data() : nullptr;
    view.targets = count;
    const bool all = targets_.hold_all();
    if (!all) targets_.upload(host_, first, count);
    view.chosen = all && host_.chosen ? chosen_.data() + first : nullptr;
    targets_.attach(host_, all && !host_.chosen ? first : 0, view);
    return view;
  }

 private:
  // The number of data that are needed, up to the last one that is a target or a neighbour. A view does not contain it.
  static Index rows_needed(const LocalView& view) {
    int last = targets_are_data(view) ? int(view.targets) - 1 : -1;
    for (Index e = 0; e < view.targets * view.k; ++e) last = std::max(last, view.neighbors[e]);
    return Index(last) + 1;
  }

  // Sends the rows that changed with their row numbers, or all rows if these are fewer bytes.
  void renew(DeviceArray<Device, double>& array, const double* from, Index width, const ChangedData& changed) {
    const Index row_bytes = width * Index(sizeof(double));
    if (changed.count * (row_bytes + Index(sizeof(int))) >= data_ * row_bytes) return array.upload(from, data_ * width);
    std::vector<int> rows;
    std::vector<double> numbers;
    for (Index r = 0; r < changed.count; ++r) {
      const Index row = changed.rows[r];
      if (row >= data_) continue;  // not needed
      rows.push_back(int(row));
      numbers.insert(numbers.end(), from + row * width, from + (row + 1) * width);
    }
    changed_rows_.upload(rows.data(), Index(rows.size()));
    changed_numbers_.upload(numbers.data(), Index(numbers.size()));
    const ScatterRows task{array.data(), changed_numbers_.data(), changed_rows_.data(), Index(rows.size()), width};
    run_plain<Device>(task, (Index(numbers.size()) + ScatterRows::run - 1) / ScatterRows::run);
  }

  LocalView host_;
  Index data_;
  DeviceArray<Device, double> coords_, values_, noise_scale_, changed_numbers_;
  DeviceArray<Device, int> outputs_, chosen_, changed_rows_;
  TargetArrays<Device> targets_;
};

}  // namespace neargp
